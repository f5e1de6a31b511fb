#pragma once

#include <cstddef>
#include <string>

#include "berth/ir/plan.h"

namespace berth {

// Why arena `arena` does not fit what its capacity leaves: the step, who is live there, how much is
// missing, whether the memory is full or cut up, and which buffer to spill or shrink first. Empty
// if it fits, or if its capacity is not limited. Several lines, each ended by a newline.
std::string capacity_report(const Plan& plan, std::size_t arena);

}  // namespace berth
