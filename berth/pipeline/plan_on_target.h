#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"
#include "berth/pipeline/plan_file.h"

namespace berth {

// A model, a program or a deployment on a target, end to end:
//
//   tiers (reside)  ->  a schedule, a device a chip and tier  ->  an arena a device
//   ->  launches and planes  ->  the certificate
//
// A plan has passed check_placement, and its launches the arena certificate, before anybody sees
// it. DoesNotFit where the target is too small for what must stay, with what to change. Refuses
// what the readers refuse, and options that mean nothing here.
Result<PlanAnswer> plan_on_target(const InputFile& input, const InputFile& target, Policy policy,
                                  const PlanOptions& options);

// Whether a buffer may live in the SRAM.
enum class SramRule { Either, Never, Always };

// The buffers as such a plan must tell them, from the input alone: for whoever checks one. An arena
// is a chip ("chip0"); places and figures mean nothing.
struct RowsOnTarget {
  Plan rows;
  std::vector<SramRule> sram;  // by buffer
};

// `target`: of one without chips, the tiles alone are asked.
Result<RowsOnTarget> rows_on_target(const InputFile& input, const Target& target,
                                    const PlanOptions& options);

}  // namespace berth
