#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/plan.h"

namespace berth {

// berth.plan/1 (docs/formats/plan.md), a line a buffer.
std::string write_plan(const Plan& plan);

// Refuses, with file, line, column and the path of the field, what the format does not allow:
// missing fields, indices past their table, lives that are empty. More fields may stand beside
// those that the format names; they are not read. It does not judge the plan.
Result<Plan> read_plan(const JsonDocument& document);

// "constant", "planner-off" ...: the words of the format.
std::string_view to_string(KeptWhy why);

}  // namespace berth
