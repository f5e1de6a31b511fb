#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/packing.h"
#include "berth/ir/plan.h"
#include "berth/lower/lower.h"
#include "berth/pipeline/question.h"

namespace berth {

// A planned schedule as launches, judged by the arena certificate.
struct CertifiedLaunches {
  // At the addresses of the plan's arenas. An error where these leave no room or share addresses.
  Result<LoweredSchedule> lowered;
  // Why the certificate is not given: a fault of our own.
  std::optional<std::string> broken;
  std::vector<std::string> notes;  // what the schedule does to itself; what was not judged
};

// Arenas that cannot be lowered where they are (they may be on devices with addresses of their own)
// are judged side by side.
CertifiedLaunches certified_launches(const ScheduleForm& form, const Instance& instance,
                                     const Packing& packing, const Plan& plan);

}  // namespace berth
