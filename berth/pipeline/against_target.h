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

// What of a sound plan is not for this target: the tiles that it says tensors are stored in, what
// it says that a memory has, an arena past that, two arenas in one memory, an arena whose device
// and tier are not one memory. Without a target, what it says of itself alone.
std::optional<std::string> find_past_target(const Plan& plan, const Target* target);

// The first thing in which a plan on a target is not one for its input. Without a target, tensors
// are stored in the tiles that the plan says.
Result<std::optional<std::string>> find_other_on_target(const Plan& plan, const InputFile& input,
                                                        const Target* target,
                                                        const PlanOptions& options);

}  // namespace berth
