#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/interval.h"
#include "berth/render/occupancy.h"

namespace berth {

// A length on a picture in hundredths of a pixel: integers, so that a picture is the same bytes on
// every machine.
using Length = std::int64_t;

// `length` times `value` / `total`, exactly and rounded down. `total` is not 0.
Length scaled(std::uint64_t value, std::uint64_t total, Length length);

// Steps from left to right. The cuts are the steps at which something starts or ends; between two
// of them nothing changes, and the steps there make one column. Where the clock has far more steps
// than columns (it may count nanoseconds), every column is as wide as any other: steps at which
// nothing happens are merged.
class TimeAxis {
 public:
  explicit TimeAxis(std::span<const Occupancy> arenas);

  bool merged() const { return merged_; }
  const std::vector<Step>& cuts() const { return cuts_; }
  // The steps that are drawn; empty if there are none.
  LiveRange steps() const;
  // Where a step's left edge is, of `width`. Between two cuts of a merged axis: at the earlier cut.
  Length position(Step step, Length width) const;
  // The steps that share the width of `step`: itself, or its column on a merged axis.
  LiveRange column(Step step) const;

 private:
  std::vector<Step> cuts_;  // ascending, each once
  bool merged_ = false;
};

}  // namespace berth
