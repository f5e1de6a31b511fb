#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/ir/plan.h"

namespace berth {

// A plan (berth.plan/1) from a file. Refuses what read_plan refuses.
Result<Plan> open_plan(const std::string& path);

}  // namespace berth
