#pragma once

#include "berth/certify/arena_judge.h"
#include "berth/ir/arena_report.h"

namespace berth {

// Why the verdict is what it is. `verdict` is that of the planes and the schedule.
ArenaReport arena_report(const PlaneTable& planes, const LaunchSchedule& schedule,
                         const Verdict& verdict);

}  // namespace berth
