#pragma once

#include <optional>
#include <unordered_map>

#include "berth/base/result.h"
#include "berth/ir/op_graph.h"

namespace berth {

// Whose slots are whose: a slot of a device is one buffer (or param, or alloc: each kind numbers
// its own), so two that are not the same node may not both have it.
class SlotTable {
 public:
  // Takes in a node that is storage. An error where another one has its slot, with the field as the
  // place. Amortised O(1).
  std::optional<Error> add(const OpGraph& graph, OpId id);

 private:
  std::unordered_multimap<std::size_t, OpId> known_;  // by hash; looked up, never iterated
};

}  // namespace berth
