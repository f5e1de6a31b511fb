#pragma once

#include "berth/base/result.h"

namespace berth::cli {

// What the schedule planner's source reads from the environment, as its names say. A number that is
// not 0 is yes, so are true, yes and on; nothing, 0, false, no and off are no.

// NO_MEMORY_PLANNER. Refuses what is neither: who sets it means something by it.
Result<bool> planner_is_off();

// DEBUG, at 1 or more. Others set it for reasons of their own, so what says neither is no.
bool debug_is_on();

}  // namespace berth::cli
