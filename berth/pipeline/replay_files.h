#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/pipeline/input.h"
#include "berth/replay/replay.h"

namespace berth {

struct ReplayedFiles {
  Schedule placed;
  std::optional<Schedule> original;
  ReplayReport report;

  // The schedule that names the tensors.
  const Schedule& named() const { return original ? *original : placed; }
};

// A schedule, run on tagged bytes; with the schedule that it was rewritten from, if that is given.
// Refuses what the reader refuses, and what replay does.
Result<ReplayedFiles> replay_files(const InputFile& placed,
                                   const std::optional<InputFile>& original);

// The report for people.
std::string replay_text(const ReplayedFiles& files);

// The same for programs: one JSON object (docs/command.md).
std::string replay_json(const ReplayedFiles& files);

}  // namespace berth
