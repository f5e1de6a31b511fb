#include "berth/formats/instance_header.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace berth {
namespace {

using Column = InstanceColumn;

constexpr std::array<std::pair<std::string_view, Column>, 16> kColumnNames = {{
    {"id", Column::Id},
    {"buffer", Column::Id},
    {"buffer_id", Column::Id},
    {"lower", Column::Lower},
    {"begin", Column::Lower},
    {"start", Column::Lower},
    {"upper", Column::Upper},
    {"end", Column::End},
    {"size", Column::Size},
    {"alignment", Column::Alignment},
    {"offset", Column::Offset},
    {"device", Column::Device},
    {"hint", Column::Hint},
    {"gaps", Column::Gaps},
    {"reuses", Column::Reuses},
    {"part_of", Column::PartOf},
}};

std::optional<Column> column_of(std::string_view name) {
  for (const auto& [known, column] : kColumnNames) {
    if (known == name) return column;
  }
  return std::nullopt;
}

std::string column_names() {
  std::string names;
  for (const auto& [name, column] : kColumnNames) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

}  // namespace

Result<InstanceHeader> InstanceHeader::read(CsvLines& lines) {
  auto cells = lines.next();
  if (!cells) return tl::unexpected(cells.error());
  InstanceHeader header;
  header.width_ = cells->size();
  for (std::size_t i = 0; i < cells->size(); ++i) {
    const std::string name = (*cells)[i].text();
    const auto column = column_of(name);
    const auto where = lines.where((*cells)[i].column);
    if (!column) {
      return input_error(where, fmt::format("found column '{}'", name),
                         "expected one of: " + column_names());
    }
    if (!header.cells_.emplace(*column, i).second) {
      return input_error(where,
                         fmt::format("column '{}' stands twice, or beside a synonym of it", name),
                         "keep one of them");
    }
  }
  return header.complete(lines);
}

std::optional<std::size_t> InstanceHeader::cell(InstanceColumn column) const {
  const auto found = cells_.find(column);
  if (found == cells_.end()) return std::nullopt;
  return found->second;
}

Result<InstanceHeader> InstanceHeader::complete(const CsvLines& lines) const {
  for (const auto& [column, name] : {std::pair(Column::Id, "id"), std::pair(Column::Lower, "lower"),
                                     std::pair(Column::Size, "size")}) {
    if (!cells_.contains(column)) {
      return input_error(lines.where(1), fmt::format("there is no column '{}'", name),
                         "the first line names the columns: id,lower,upper,size");
    }
  }
  if (cells_.contains(Column::Upper) == cells_.contains(Column::End)) {
    const char* found =
        cells_.contains(Column::Upper) ? "both 'upper' and 'end'" : "neither 'upper' nor 'end'";
    return input_error(lines.where(1), fmt::format("found {}, expected one of them", found),
                       "upper: first step at which the buffer is dead; end: last at which it "
                       "lives");
  }
  return *this;
}

}  // namespace berth
