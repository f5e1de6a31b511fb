#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/packing.h"
#include "berth/ir/plan.h"
#include "berth/ir/reason.h"
#include "berth/ir/schedule.h"
#include "berth/lower/lower.h"
#include "berth/pipeline/options.h"
#include "berth/pipeline/question.h"

namespace berth {

// A file, planned and checked.
struct PlannedFile {
  Question question;
  Packing packing;
  Plan plan;
  std::optional<Schedule> rewritten;        // where the file is a schedule
  std::optional<std::string> memory_saved;  // the schedule planner's own message
  // A schedule's launches; an error where the arenas' addresses allow none.
  std::optional<Result<LoweredSchedule>> launches;
};

// The answer is no: no placement exists, or none was found within the capacity.
struct DoesNotFit {
  bool proved = false;  // no placement fits; otherwise neither met nor disproved
  std::string report;   // who, where, how much, what to do
  // What anybody can check of it, where it is proved.
  std::optional<Reason> reason{};
  bool over_reserved = false;  // no buffers are the reason: more is reserved than there is
};

// Our own answer did not pass the independent check: never written, never used.
struct BrokenPromise {
  std::string report;
};

using PlanAnswer = std::variant<PlannedFile, DoesNotFit, BrokenPromise>;

// Model, schedule or table in; certified plan out. Every plan has passed `check_placement`,
// and every schedule's launches the arena certificate.
Result<PlanAnswer> plan_file(const InputFile& file, const PlanOptions& options);

}  // namespace berth
