#pragma once

#include <string>
#include <string_view>

#include "berth/ir/plan.h"

namespace berth {

// Why a tensor is kept apart, as tables say it.
std::string_view reason_text(KeptWhy why);

// What stands beside an arena in its device's memory: "not planned: 7 variable".
std::string beside_text(const Plan& plan, const PlannedArena& arena);

// What a capacity that holds does not count: "; not counted: scratch of kernels". Empty where all
// is counted.
std::string not_counted_text(const Plan& plan);

}  // namespace berth
