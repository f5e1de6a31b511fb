#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/ir/asked.h"
#include "berth/pipeline/options.h"

namespace berth {

// What of the options changes the problem, as a plan tells it.
Asked asked_of(const PlanOptions& options);

// The options under which the input is read again: those that are told, and for what they leave
// open those that the plan tells. A size that is told is the plan's range where that covers it,
// since a plan for a range is one for each size in it.
PlanOptions with_asked(PlanOptions told, const Asked& asked);

// The options with the sizes, shapes and states that only the plan tells: what a model leaves open.
PlanOptions with_asked_sizes(PlanOptions told, const Asked& asked);

// What a plan alone tells of these options, each as it is typed: "--hold x".
std::vector<std::string> told_by_plan_alone(const Asked& asked, const PlanOptions& told);

// Sizes that were told and for which the plan was not made, each in words.
std::vector<std::string> other_than_asked(const Asked& asked, const PlanOptions& told);

// In what two plans were asked otherwise, each as it is typed: "--bind N=8" and what the other has.
std::vector<std::string> asked_otherwise(const Asked& before, const Asked& after);

}  // namespace berth
