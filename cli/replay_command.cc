#include "cli/replay_command.h"

#include <optional>
#include <utility>

#include "berth/pipeline/replay_files.h"
#include "cli/watch.h"

namespace berth::cli {

ReplayCommand::ReplayCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "replay", "Run a schedule on bytes that know who wrote them, and see what reads find")) {
  command_
      ->add_option("SCHEDULE", schedule_,
                   "A schedule, as berth plan rewrites it (berth.schedule/1); - is standard input")
      ->required();
  command_->add_option("ORIGINAL", original_,
                       "The schedule that it was rewritten from: its buffers are then what reads "
                       "are held against");
  common_.add_to(*command_);
}

ExitStatus ReplayCommand::run() const {
  const Report report = common_.report();
  if (schedule_ == "-" && original_ == "-") {
    return report.failure({Error::Kind::Usage, "ORIGINAL",
                           "the two schedules cannot both be standard input",
                           "give one of them as a file"});
  }
  const auto placed = open_input(schedule_);
  if (!placed) return report.failure(placed.error());
  std::optional<InputFile> original;
  if (!original_.empty()) {
    auto opened = open_input(original_);
    if (!opened) return report.failure(opened.error());
    original = *std::move(opened);
  }
  const auto replayed =
      watched(report, "replaying", [&] { return replay_files(*placed, original); });
  if (!replayed) return report.failure(replayed.error());
  if (report.json()) {
    report.result(replay_json(*replayed));
  } else if (!report.quiet()) {
    report.result(replay_text(*replayed));
  }
  return replayed->report.sound() ? kYes : kNo;
}

}  // namespace berth::cli
