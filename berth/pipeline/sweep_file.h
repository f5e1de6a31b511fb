#pragma once

#include <variant>

#include "berth/base/result.h"
#include "berth/ir/sweep.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/plan_file.h"
#include "berth/pipeline/reside_file.h"
#include "berth/reside/best.h"
#include "berth/reside/sweep.h"

namespace berth {

using SweepAnswer = std::variant<Sweep, BrokenPromise>;

// The traffic of rule and best over a range of SRAM, which every chip of the target is given: a
// step wherever a figure changes. The best's steps are found from the top down: a plan is as good
// at any SRAM that still holds what it keeps, and no smaller one has a better. Each bound is what
// the independent check proves. Refuses more than a few thousand steps.
Result<SweepAnswer> sweep_deployment(const Deployment& deployment, const Target& target,
                                     const SweepRange& range, const BestOptions& options);

// The same of files.
Result<SweepAnswer> sweep_file(const InputFile& input, const InputFile& target,
                               const SweepRange& range, const ResideOptions& options);

}  // namespace berth
