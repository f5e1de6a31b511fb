#pragma once

#include <vector>

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// Whether each arena's figures are what its buffers say. A view counts as the bytes it views; in
// the step in which one buffer takes over another's bytes, the two count as the larger of them. The
// relations between buffers must have been found sound.
void check_claims(const Plan& plan, const std::vector<std::size_t>& storage,
                  PlacementVerdict& verdict);

}  // namespace berth
