#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "berth/model/fact.h"

namespace berth {

// The elements of what folds axes away, or goes along one. The operand is of known dimensions;
// nothing where its elements are not followed. Elements that depend on one that is not known are
// not known.

// ReduceSum and its brothers. `folded`: by axis.
std::optional<Numbers> reduced(std::string_view op, const Fact& operand,
                               const std::vector<bool>& folded);

struct RunningSum {
  bool exclusive = false;  // of those before, the element itself left out
  bool reverse = false;
};
std::optional<Numbers> running_sums(const Fact& operand, std::size_t axis, RunningSum kind);

// The first `count` along the axis, the greatest or the least first, equal ones in order; and where
// they stood.
struct Ranked {
  Numbers elements;
  Numbers places;
};
std::optional<Ranked> ranked(const Fact& operand, std::size_t axis, std::size_t count,
                             bool greatest);

}  // namespace berth
