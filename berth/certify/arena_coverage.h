#pragma once

#include "berth/ir/arena_report.h"

namespace berth {

// O((words + ranges) log ranges + instances that a walk examines).
ArenaCoverage arena_coverage(const PlaneTable& planes, const LaunchSchedule& schedule);

}  // namespace berth
