#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/certify/residency.h"
#include "berth/pipeline/input.h"

namespace berth {

// What a residency was made from.
struct ResidencySource {
  InputFile input;  // a program or a deployment
  InputFile target;
};

// A residency (berth.residency/1) from any hand, judged; with its source, also whether the choice
// that it certifies on each chip is the source's.
Result<ResidencyVerdict> check_residency_file(const InputFile& file,
                                              const std::optional<ResidencySource>& source);

}  // namespace berth
