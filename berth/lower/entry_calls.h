#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/ir/schedule.h"

namespace berth {

// What one entry of a schedule runs.
struct EntryCalls {
  std::vector<OpId> calls;              // in order
  std::optional<std::uint64_t> repeat;  // a counted loop of calls alone: how often
  std::uint64_t walked = 0;             // nodes, to find them
};

// The calls that an entry runs. Where loops nest, or repeat for as long as a flag holds, each call
// stands once, where the entry first comes to it; what is counted to 0 is not there. No recursion;
// O(nodes of the entry).
EntryCalls entry_calls(const OpGraph& graph, OpId entry);

}  // namespace berth
