#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/reside/components.h"

namespace berth {

// What the search found in one component.
struct Found {
  std::vector<std::uint64_t> kept;  // times, by the component's items
  std::vector<PriceNode> nodes;     // of its tree, with the component's own items and phases
  // More than this nothing saves, which a walk with the only node proves.
  std::optional<std::uint64_t> walk;
  bool is_most = false;  // proved: nothing saves more
};

// Branch and bound, best bound first, and a walk over the phases where that does not end soon.
// `start` is a choice to begin with. Stops when nothing open can be better, or after `effort`
// nodes, which it takes off; a node of more than a thousand items and phases counts for more.
Found search(const Choice& choice, std::vector<std::uint64_t> start, std::uint64_t& effort);

}  // namespace berth
