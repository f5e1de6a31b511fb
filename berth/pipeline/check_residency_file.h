#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/certify/residency.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// What a residency was made from.
struct ResidencySource {
  InputFile input;  // a model, a program or a deployment
  InputFile target;
  PlanOptions options{};  // how a model is read
};

// A residency (berth.residency/1) from any hand, judged; with its source, also whether it is about
// that: the programs, classes and figures, what is kept phase by phase, the choice that each chip's
// certificate is of; and whether the rule's plan is what the rule makes.
Result<ResidencyVerdict> check_residency_file(const InputFile& file,
                                              const std::optional<ResidencySource>& source);

}  // namespace berth
