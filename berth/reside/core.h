#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// What was found where one phase decides alone.
struct Packed {
  std::vector<std::uint64_t> kept;  // times, by item
  std::uint64_t saved = 0;
  std::uint64_t most = 0;  // no choice saves more
};

// A choice with one phase is a knapsack. By a good price of its capacity nearly every item stays or
// leaves without a doubt, and what the price says is lost otherwise adds up:
//
//   what all may save by the price                  L
//   less what each item loses that does otherwise   its saving or cost, less its bytes' price
//   less what is left of the capacity, at the price
//
// So only items that lose little may do otherwise: the core. It is first searched in two halves,
// whose choices meet; then every choice that loses no more than some amount is looked at, and the
// amount grows until one is found or none can be better. `start` is a choice to begin with. Nothing
// where numbers are too large to be added up.
std::optional<Packed> pack_core(const Choice& choice, const PriceNode& price,
                                const std::vector<std::uint64_t>& start);

}  // namespace berth
