#pragma once

#include <string>
#include <string_view>

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// "shared-bytes", "misaligned" ...: the kind of a fault, for programs.
std::string_view kind_name(const PlacementFault& fault);

// The fault in words, with names and numbers, on one line. `plan` is the plan that was checked.
std::string explain(const PlacementFault& fault, const Plan& plan);

// The verdict in words: one line that says whether the plan is sound, then a line a fault that was
// kept, and for each kind how many more there are.
std::string explain(const PlacementVerdict& verdict, const Plan& plan);

}  // namespace berth
