#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/capture.h"

namespace berth {

// What the OpenCL layer wrote of a run (docs/formats/capture.md). A last line that was cut short is
// left out: the program was ended while it was written. Refuses, with file, line and column,
// whatever else the format does not allow.
Result<Capture> read_capture(std::string_view text, const std::string& file);

}  // namespace berth
