#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/launches.h"

namespace berth {

// berth.launches/1 (docs/formats/launches.md). Reading refuses, with file, line, column and the
// path of the field, whatever the format does not allow.
Result<LaunchSchedule> read_launches(const JsonDocument& document);

// Reading what was written gives the same schedule.
std::string write_launches(const LaunchSchedule& schedule);

}  // namespace berth
