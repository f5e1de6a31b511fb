#pragma once

#include <cstdint>
#include <vector>

#include "berth/reside/components.h"

namespace berth {

// What the search found in one component.
struct Found {
  std::vector<std::uint64_t> kept;  // times, by the component's items
  std::vector<PriceNode> nodes;     // of its tree, with the component's own items and phases
};

// Branch and bound, best bound first. `start` is a choice to begin with. Stops when nothing open
// can be better, or after `effort` nodes, which it takes off.
Found search(const Choice& choice, std::vector<std::uint64_t> start, std::uint64_t& effort);

}  // namespace berth
