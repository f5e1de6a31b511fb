#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/schedule.h"

namespace berth {

// berth.schedule/1 (docs/formats/schedule.md). Reading refuses, with file, line, column and the
// path of the field, whatever the format or the op graph's rules do not allow. O(file).
Result<Schedule> read_schedule(const JsonDocument& document);

// Normalised: the nodes that the root and the held nodes reach, a line each, sources before the
// nodes that use them in the order in which a walk from the root finishes them; fields that hold
// their default are left out. Reading what was written and writing it again gives the same bytes.
std::string write_schedule(const Schedule& schedule);

}  // namespace berth
