#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/lower/captured.h"
#include "berth/pipeline/input.h"

namespace berth {

// What was seen of a run (berth.capture), as planes and launches. Refuses what read_capture and
// lower_capture refuse.
Result<LoweredSchedule> read_capture_file(const InputFile& file, CapturedPart part);

// How much was seen, for people.
std::string capture_text(const LoweredSchedule& lowered);

// The same for programs: one JSON object.
std::string capture_json(const LoweredSchedule& lowered);

}  // namespace berth
