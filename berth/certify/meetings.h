#pragma once

#include <vector>

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// Pairs of buffers that hold the same byte in the same step, by step; none only if no two do. The
// plan is well-formed; `storage` is storage_of(plan). A view is not compared, nor a taker in its
// first step with its donor: check_relations answers for them.
std::vector<SharedBytes> find_meetings(const Plan& plan, const std::vector<std::size_t>& storage);

}  // namespace berth
