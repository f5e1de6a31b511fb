#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "berth/base/result.h"
#include "berth/formats/csv.h"

namespace berth {

// A column of an instance table (docs/formats/instance.md), whatever synonym names it.
enum class InstanceColumn {
  Id,
  Lower,
  Upper,
  End,
  Size,
  Alignment,
  Offset,
  Device,
  Hint,
  Gaps,
  Reuses,
  PartOf
};

// The first line of an instance table: which cell of a row holds which column.
class InstanceHeader {
 public:
  // Refuses, with file, line and column, an unknown, missing or double column, and both `upper` and
  // `end` or neither.
  static Result<InstanceHeader> read(CsvLines& lines);

  std::optional<std::size_t> cell(InstanceColumn column) const;
  std::size_t width() const { return width_; }

 private:
  Result<InstanceHeader> complete(const CsvLines& lines) const;

  std::map<InstanceColumn, std::size_t> cells_;
  std::size_t width_ = 0;
};

}  // namespace berth
