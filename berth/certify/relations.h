#pragma once

#include <vector>

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// By buffer, the one whose bytes it is: itself where it is no view, else what the last view of the
// chain views. `plan.buffers.size()` where the chain has no end. Every index must exist.
std::vector<std::size_t> storage_of(const Plan& plan);

// By buffer, the one on whose bytes it stands: itself, unless it takes over (PlannedBuffer::reuses)
// what another holds, maybe by way of further takers. Every index must exist.
std::vector<std::size_t> hosts_of(const Plan& plan, const std::vector<std::size_t>& storage);

// Faults of the buffers that declare to be bytes of another. Together they say that whatever a view
// holds, its storage holds, and that a taker's bytes in its first step are its donor's: so views,
// and takers in their first step, need not be compared with anybody else.
void check_relations(const Plan& plan, const std::vector<std::size_t>& storage,
                     PlacementVerdict& verdict);

}  // namespace berth
