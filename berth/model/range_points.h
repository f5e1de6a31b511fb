#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "berth/model/bindings.h"

namespace berth {

// Sizes that were bound to ranges, at single points: all of the range where a model of so many
// nodes may be looked at as often, and otherwise some of them.
struct RangePoints {
  std::vector<Bindings> points;  // the least end, then others; not the greatest end
  bool is_all = true;            // with the greatest end
  std::string count;             // how many the range has, both ends included: "64", "over 10^18"
};

// O(points).
RangePoints points_of_range(const Bindings& bindings, std::size_t nodes);

}  // namespace berth
