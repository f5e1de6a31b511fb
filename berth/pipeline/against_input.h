#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/plan.h"
#include "berth/ir/target.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

struct AgainstInput {
  std::optional<std::string> mismatch;     // the first thing in which the plan is not of the input
  std::vector<std::string> by_plan_alone;  // what of the question only the plan tells
  std::vector<std::string> notes;
};

// A sound plan, held against the file that it was made from, and for one on a target against that,
// where it is known. The input is read as the options say, and where they say nothing as the plan
// tells that it was asked; but a plan that places nothing by its own word alone is refused.
Result<AgainstInput> held_against(const Plan& plan, const InputFile& input,
                                  const PlanOptions& options, const Target* target);

}  // namespace berth
