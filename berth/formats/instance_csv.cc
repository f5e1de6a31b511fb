#include "berth/formats/instance_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

#include "berth/base/text.h"
#include "berth/formats/csv.h"
#include "berth/formats/instance_header.h"

namespace berth {
namespace {

using Column = InstanceColumn;
using Header = InstanceHeader;

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// A cell as a message shows it.
std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

// "3-7" or "3-7@0:64".
std::optional<Gap> parse_gap(std::string_view text) {
  const auto split = [](std::string_view whole, char mark) -> std::optional<LiveRange> {
    const auto at = whole.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const auto lower = parse_unsigned(whole.substr(0, at));
    const auto upper = parse_unsigned(whole.substr(at + 1));
    if (!lower || !upper) return std::nullopt;
    return LiveRange{*lower, *upper};
  };
  const auto at = text.find('@');
  const auto steps = split(text.substr(0, at), '-');
  if (!steps) return std::nullopt;
  if (at == std::string_view::npos) return Gap{*steps, std::nullopt};
  const auto kept = split(text.substr(at + 1), ':');
  if (!kept) return std::nullopt;
  return Gap{*steps, *kept};
}

// A permission as a row writes it: the id of its host, and where that stands in the file.
struct WrittenPermission {
  SharePermission::Kind kind = SharePermission::Kind::TakesOver;
  std::size_t row = 0;
  std::string host;
  Bytes offset;
  std::string where;
};

// One buffer from one row; the first thing wrong with it is kept.
class Row {
 public:
  Row(const Header& header, const CsvLines& lines, const std::vector<CsvCell>& cells)
      : header_(header), lines_(lines), cells_(cells) {}

  struct Content {
    Buffer buffer;
    std::string device;
    std::vector<WrittenPermission> permissions;
  };

  Result<Content> read() {
    Buffer buffer;
    buffer.name = cell(Column::Id)->text();
    if (buffer.name.empty()) {
      refuse(*cell(Column::Id), "the id is empty", "give each row a name of its own");
    }
    for (const Column name : {Column::Id, Column::Device}) refuse_unless_text(cell(name));
    buffer.life = read_life();
    buffer.size = Bytes(number(Column::Size));
    buffer.alignment = read_alignment();
    buffer.fixed = place(Column::Offset);
    buffer.hint = place(Column::Hint);
    buffer.gaps = read_gaps();
    auto permissions = read_permissions();
    if (error_) return tl::unexpected(*error_);
    const auto device = cell(Column::Device);
    return Content{std::move(buffer), device ? device->text() : std::string(),
                   std::move(permissions)};
  }

 private:
  std::optional<CsvCell> cell(Column column) const {
    const auto index = header_.cell(column);
    if (!index) return std::nullopt;
    return cells_[*index];
  }

  void refuse(const CsvCell& cell, const std::string& message, const std::string& hint = {}) {
    if (error_) return;
    error_ = Error{Error::Kind::Input, lines_.where(cell.column), message, hint};
  }

  // A plan could not tell two names apart that are no text.
  void refuse_unless_text(const std::optional<CsvCell>& cell) {
    if (!cell || is_utf8(cell->raw)) return;
    refuse(*cell, "the name is not UTF-8", "save the table as UTF-8");
  }

  std::uint64_t number(Column column) { return number(*cell(column)); }
  // `or_else`: what the cell may say besides.
  std::uint64_t number(const CsvCell& cell, std::string_view or_else = "") {
    const auto value = parse_unsigned(cell.text());
    if (!value) {
      refuse(cell,
             fmt::format("found '{}', expected an integer from 0 to {}{}", shortened(cell.text()),
                         UINT64_MAX, or_else),
             "write it in decimal digits alone, without a sign, a point or a unit");
    }
    return value.value_or(0);
  }

  // `end` is the last step of the life; converted here, once.
  LiveRange read_life() {
    const std::uint64_t lower = number(Column::Lower);
    const bool is_inclusive = header_.cell(Column::End).has_value();
    const CsvCell last = *cell(is_inclusive ? Column::End : Column::Upper);
    std::uint64_t upper = number(last);
    if (error_) return {};
    if (is_inclusive && upper == UINT64_MAX) {
      refuse(last, fmt::format("a life may end at step {} at the latest", UINT64_MAX - 1),
             "count the steps from a lower one on");
      return {};
    }
    if (is_inclusive) ++upper;
    if (lower >= upper) {
      refuse(last,
             fmt::format("the life from {} to {} is {}", lower, last.text(),
                         lower == upper && !is_inclusive ? "empty" : "reversed"),
             is_inclusive ? "end must be at least the first step"
                          : "upper must be past the first step");
    }
    return {lower, upper};
  }

  Alignment read_alignment() {
    const auto found = cell(Column::Alignment);
    if (!found || found->raw.empty()) return {};
    const auto alignment = Alignment::of(number(*found));
    if (!alignment) {
      refuse(*found, fmt::format("alignment {} is no power of two", found->text()),
             "expected 1, 2, 4, 8, ...");
    }
    return alignment.value_or(Alignment());
  }

  // Empty and -1 mean that it is free.
  std::optional<Offset> place(Column column) {
    const auto found = cell(column);
    if (!found || found->raw.empty() || found->raw == "-1") return std::nullopt;
    return Offset(number(*found, ", or -1 or nothing for none"));
  }

  // Beside a column `end`, a gap's end too is the last step of it.
  Gap half_open(Gap gap, const CsvCell& cell) {
    if (!header_.cell(Column::End)) return gap;
    if (gap.steps.upper == UINT64_MAX) {
      refuse(cell, fmt::format("a gap may end at step {} at the latest", UINT64_MAX - 1),
             "count the steps from a lower one on");
      return gap;
    }
    ++gap.steps.upper;
    return gap;
  }

  std::vector<Gap> read_gaps() {
    std::vector<Gap> gaps;
    const auto found = cell(Column::Gaps);
    if (!found) return gaps;
    const std::string text = found->text();
    for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos;) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const auto gap = parse_gap(std::string_view(text).substr(at, end - at));
      if (!gap) {
        refuse(*found,
               fmt::format("found '{}' among the gaps", shortened(text.substr(at, end - at))),
               "expected first-end, such as 3-7 or 3-7@0:64");
        return gaps;
      }
      gaps.push_back(half_open(*gap, *found));
      at = text.find_first_not_of(' ', end);
    }
    std::ranges::sort(gaps, {}, [](const Gap& gap) { return gap.steps.lower; });
    return gaps;
  }

  std::vector<WrittenPermission> read_permissions() {
    std::vector<WrittenPermission> permissions;
    if (const auto found = cell(Column::Reuses); found && !found->raw.empty()) {
      permissions.push_back({SharePermission::Kind::TakesOver, 0, found->text(), Bytes(0),
                             lines_.where(found->column)});
    }
    const auto found = cell(Column::PartOf);
    if (!found || found->raw.empty()) return permissions;
    const std::string text = found->text();
    const auto at = text.rfind('@');
    const auto offset = at == std::string::npos
                            ? std::nullopt
                            : parse_unsigned(std::string_view(text).substr(at + 1));
    if (!offset) {
      refuse(*found,
             fmt::format("found '{}', expected the joined row and a byte of it", shortened(text)),
             "such as joined@0 or joined@4096");
      return permissions;
    }
    permissions.push_back({SharePermission::Kind::PartOf, 0, text.substr(0, at), Bytes(*offset),
                           lines_.where(found->column)});
    return permissions;
  }

  const Header& header_;
  const CsvLines& lines_;
  const std::vector<CsvCell>& cells_;
  std::optional<Error> error_;
};

struct Rows {
  std::vector<Buffer> buffers;
  std::vector<std::uint32_t> devices;                 // by row, an index in device_names
  std::map<std::string, std::uint32_t> device_names;  // by first appearance
  std::vector<std::size_t> lines;                     // by row
  std::vector<std::size_t> id_columns;                // by row
  std::vector<WrittenPermission> permissions;

  std::uint32_t device(const std::string& name) {
    return device_names.emplace(name, static_cast<std::uint32_t>(device_names.size()))
        .first->second;
  }
};

Result<std::vector<CsvCell>> next_row(CsvLines& lines, const Header& header) {
  auto cells = lines.next();
  if (!cells) return cells;
  if (cells->size() == 1 && cells->front().raw.empty() && header.width() > 1) {
    return input_error(lines.where(1), "a blank row stands between rows", "remove the blank line");
  }
  if (cells->size() != header.width()) {
    const std::size_t last = std::min(cells->size(), header.width() + 1) - 1;
    return input_error(lines.where((*cells)[last].column),
                       fmt::format("found {} cells, expected {}", cells->size(), header.width()),
                       "one for each column of the first line");
  }
  return cells;
}

Result<Rows> read_rows(CsvLines& lines, const Header& header) {
  Rows rows;
  while (!lines.only_blank_left()) {
    const auto cells = next_row(lines, header);
    if (!cells) return tl::unexpected(cells.error());
    auto row = Row(header, lines, *cells).read();
    if (!row) return tl::unexpected(row.error());
    for (WrittenPermission& permission : row->permissions) {
      permission.row = rows.buffers.size();
      rows.permissions.push_back(std::move(permission));
    }
    rows.buffers.push_back(std::move(row->buffer));
    rows.devices.push_back(rows.device(row->device));
    rows.lines.push_back(lines.line());
    rows.id_columns.push_back((*cells)[*header.cell(Column::Id)].column);
  }
  return rows;
}

// Rows in the order of their ids; a double id is refused where it stands the second time.
Result<std::vector<std::size_t>> rows_by_id(const Rows& rows, const std::string& file) {
  const auto id = [&](std::size_t row) -> const std::string& { return rows.buffers[row].name; };
  std::vector<std::size_t> order(rows.buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, id);
  const auto same = std::ranges::adjacent_find(
      order, [&](std::size_t a, std::size_t b) { return id(a) == id(b); });
  if (same == order.end()) return order;
  const std::size_t again = *std::next(same);
  return input_error(fmt::format("{}:{}:{}", file, rows.lines[again], rows.id_columns[again]),
                     fmt::format("id {} already on line {}", id(*same), rows.lines[*same]),
                     "each id must be unique");
}

// By guest. `order`: rows in the order of their ids, which are those of `instance`.
Result<std::vector<SharePermission>> named_rows(const Rows& rows,
                                                const std::vector<std::size_t>& order,
                                                const Instance& instance) {
  std::vector<std::size_t> buffer_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) buffer_of[order[i]] = i;
  std::vector<SharePermission> permissions;
  for (const WrittenPermission& written : rows.permissions) {
    const auto buffers = instance.buffers();
    const auto found = std::ranges::lower_bound(buffers, written.host, {}, &Buffer::name);
    if (found == buffers.end() || found->name != written.host) {
      return input_error(written.where, fmt::format("there is no row '{}'", written.host),
                         "name the id of another row");
    }
    const std::size_t host = static_cast<std::size_t>(found - buffers.begin());
    const std::size_t guest = buffer_of[written.row];
    if (guest == host) {
      return input_error(written.where, "the row names itself", "name the id of another row");
    }
    const Bytes bytes = buffers[guest].size;
    const auto end = checked_add(written.offset, bytes);
    if (written.kind == SharePermission::Kind::PartOf && (!end || *end > found->size)) {
      return input_error(
          written.where,
          fmt::format("{} bytes from byte {} on end past the {} of '{}'", bytes.count(),
                      written.offset.count(), found->size.count(), written.host),
          "a part lies inside what is joined from it");
    }
    permissions.push_back({written.kind, guest, host, written.offset});
  }
  std::ranges::stable_sort(permissions, {}, &SharePermission::guest);
  return permissions;
}

// Devices by name, whatever the order of the rows; an instance has at least one.
std::vector<Device> devices_by_name(Rows& rows) {
  if (rows.device_names.empty()) rows.device("");
  std::vector<Device> devices;
  std::vector<std::uint32_t> sorted(rows.device_names.size());
  for (const auto& [name, index] : rows.device_names) {
    sorted[index] = static_cast<std::uint32_t>(devices.size());
    devices.push_back({.name = name});
  }
  for (std::uint32_t& device : rows.devices) device = sorted[device];
  return devices;
}

// The instance names the buffer, "buffer NAME"; the text knows its row.
Error at_row(Error error, const std::string& text, const std::string& file) {
  CsvLines lines(text, file);
  const auto header = Header::read(lines);
  while (header && !lines.only_blank_left()) {
    const auto cells = lines.next();
    if (!cells) break;
    const auto name = (*cells)[*header->cell(Column::Id)].text();
    if (error.where != "buffer " + name) continue;
    error.message = error.where + ": " + error.message;
    error.where = lines.where((*cells)[*header->cell(Column::Size)].column);
    return error;
  }
  error.where = file + ": " + error.where;
  return error;
}

}  // namespace

Result<InstanceFile> read_instance_csv(std::string text, const std::string& file, Alignment unit) {
  CsvLines lines(text, file);
  if (lines.only_blank_left()) {
    return input_error(file + ":1:1", "the file is empty",
                       "the first line names the columns: id,lower,upper,size");
  }
  const auto header = Header::read(lines);
  if (!header) return tl::unexpected(header.error());
  auto rows = read_rows(lines, *header);
  if (!rows) return tl::unexpected(rows.error());
  const auto order = rows_by_id(*rows, file);
  if (!order) return tl::unexpected(order.error());

  auto devices = devices_by_name(*rows);
  std::vector<Buffer> buffers;
  buffers.reserve(order->size());
  std::vector<std::optional<BufferId>> buffer_of_row(order->size());
  for (const std::size_t row : *order) {
    buffer_of_row[row] = BufferId(buffers.size());
    buffers.push_back(std::move(rows->buffers[row]));
    buffers.back().device = DeviceId(rows->devices[row]);
  }
  auto instance = Instance::make(std::move(devices), std::move(buffers), unit);
  if (!instance) return tl::unexpected(at_row(instance.error(), text, file));
  auto permissions = named_rows(*rows, *order, *instance);
  if (!permissions) return tl::unexpected(permissions.error());
  return InstanceFile{
      *std::move(instance), {std::move(text), std::move(buffer_of_row)}, *std::move(permissions)};
}

namespace {

std::string place_text(std::optional<BufferId> buffer, const Placement& placement) {
  return buffer ? std::to_string(placement.places[buffer->index()].value()) : "";
}

}  // namespace

std::string write_instance_csv(const InstanceTable& table, const Placement& placement) {
  CsvLines lines(table.text, "");
  const auto header = Header::read(lines);
  assert(header);
  CsvLines again(table.text, "");
  std::string text;
  for (std::size_t line = 0; line <= table.rows.size(); ++line) {
    const auto cells = again.next();
    assert(cells);
    const std::string offset = line == 0 ? "offset" : place_text(table.rows[line - 1], placement);
    for (std::size_t i = 0; i < cells->size(); ++i) {
      if (i > 0) text += ',';
      text += header->cell(Column::Offset) == i ? offset : std::string((*cells)[i].raw);
    }
    if (!header->cell(Column::Offset)) text += ',' + offset;
    text += '\n';
  }
  return text;
}

namespace {

std::string gaps_text(const std::vector<Gap>& gaps) {
  std::string text;
  for (const Gap& gap : gaps) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}-{}", gap.steps.lower, gap.steps.upper);
    if (gap.kept) text += fmt::format("@{}:{}", gap.kept->lower, gap.kept->upper);
  }
  return text;
}

// What its first byte is sure to be a multiple of: the alignment of its place, as far as the skew
// leaves it.
std::uint64_t alignment_of_first_byte(const Instance& instance, BufferId id) {
  const std::uint64_t skew = instance[id].skew.count();
  const std::uint64_t alignment = instance.alignment(id).value();
  return skew == 0 ? alignment : std::min(alignment, skew & (~skew + 1));
}

}  // namespace

std::string write_instance_csv(const Instance& instance, const Placement& placement) {
  const bool has_gaps =
      std::ranges::any_of(instance.buffers(), [](const Buffer& b) { return !b.gaps.empty(); });
  const bool has_devices = instance.devices().size() > 1;
  std::string text = "id,lower,upper,size,alignment";
  if (has_devices) text += ",device";
  if (has_gaps) text += ",gaps";
  text += ",offset\n";
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    const Buffer& buffer = instance[id];
    text +=
        fmt::format("{},{},{},{},{}", csv_cell(buffer.name), buffer.life.lower, buffer.life.upper,
                    buffer.size.count(), alignment_of_first_byte(instance, id));
    if (has_devices) text += ',' + csv_cell(instance[buffer.device].name);
    if (has_gaps) text += ',' + gaps_text(buffer.gaps);
    text += fmt::format(",{}\n", (placement.places[i] + buffer.skew).value());
  }
  return text;
}

}  // namespace berth
