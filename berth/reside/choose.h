#pragma once

#include <cstdint>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/prices.h"

namespace berth {

struct ChooseOptions {
  // Branch-and-bound nodes, of which those of large choices count for more: no clock decides.
  std::uint64_t effort = 2'000;
};

// The most that was found, and the prices that bound what can be.
struct Chosen {
  std::vector<std::uint64_t> kept;  // times, by item
  Bytes saved;
  Prices prices;
  std::uint64_t nodes = 0;

  friend bool operator==(const Chosen&, const Chosen&) = default;
};

// Saves as much as it can, at least as much as `start`, a choice to begin with (times, by item).
// Branch and bound over the items that compete, component by component, with the linear
// relaxation's prices as bounds, rounded to integers before anything is concluded from them. Within
// the effort it is the most there is.
Chosen choose_best(const Choice& choice, const std::vector<std::uint64_t>& start,
                   const ChooseOptions& options = {});

}  // namespace berth
