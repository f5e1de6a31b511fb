#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/certify/reason.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// A reason, judged.
struct CheckedReason {
  ReasonVerdict verdict;
  std::optional<std::string> mismatch;  // where it is not one about the input
};

// `file`: berth.reason/1. With `input`, the file that was to be planned: each of the reason's
// buffers must be one of its buffers, as the options read it, and the device have no more room
// than the reason says. Refuses what the readers refuse.
Result<CheckedReason> check_reason_file(const InputFile& file,
                                        const std::optional<InputFile>& input,
                                        const PlanOptions& options);

}  // namespace berth
