#pragma once

#include <vector>

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// Whether each arena's figures are what its buffers say. A view counts as the bytes it views. A
// taker counts from its second step on, for in the first its donor does; it is padded only if it
// needs all of the buffer on which it stands. The relations must have been found sound.
void check_claims(const Plan& plan, const std::vector<std::size_t>& storage,
                  PlacementVerdict& verdict);

}  // namespace berth
