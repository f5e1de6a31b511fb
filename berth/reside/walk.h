#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// The most that a choice saves, found by walking its phases with every set of items that may stay
// so far: sets that hold the same live items are one, the better of them; and a set is dropped once
// the prices allow it no more than `least` in all. Programs are long, and few of their tensors live
// at once.
struct Walked {
  std::vector<bool> kept;  // by item; where nothing saves more than `least`: empty
  std::uint64_t saved = 0;
};

// Nothing where some item may stay more than once, more than 64 live at a phase, or there are more
// sets than can be looked at in a fraction of a second.
std::optional<Walked> walk(const Choice& choice, const PriceNode& prices, std::uint64_t least);

}  // namespace berth
