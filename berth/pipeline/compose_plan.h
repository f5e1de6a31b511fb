#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/ir/packing.h"
#include "berth/ir/plan.h"
#include "berth/pipeline/options.h"
#include "berth/pipeline/question.h"

namespace berth {

// The order that the executor of a plan must keep.
inline constexpr const char* kInOrderPerDevice = "in-order per device";
inline constexpr const char* kByAllocation =
    "in-order per device; across devices by allocation, copies included";

// The answer as berth.plan/1 says it: a row a tensor, an arena a device. Arenas without a base of
// their own follow one another from 0x10000000, each on a page of 4096 (and its own alignment) that
// no asked base needs.
// Refuses a base for a device that the file does not have, and one at which its arena cannot begin.
Result<Plan> compose_plan(const InputFile& file, const Question& question, const Packing& packing,
                          const PlanOptions& options);

// What is wrong with bases for which two arenas share addresses, where all are one space of them.
std::optional<Error> find_bases_that_meet(const Plan& plan);

}  // namespace berth
