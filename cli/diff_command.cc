#include "cli/diff_command.h"

#include "berth/pipeline/open_plan.h"
#include "berth/render/plan_diff.h"
#include "cli/report.h"

namespace berth::cli {

DiffCommand::DiffCommand(CLI::App& app)
    : command_(app.add_subcommand("diff", "Say how one plan differs from another")) {
  command_->add_option("BEFORE", before_, "A plan (.json)")->required();
  command_->add_option("AFTER", after_, "A plan (.json)")->required();
  common_.add_to(*command_);
}

ExitStatus DiffCommand::run() const {
  const Report report = common_.report();
  if (before_ == "-" && after_ == "-") {
    return report.failure({Error::Kind::Usage, "AFTER",
                           "the two plans cannot both be standard input",
                           "give one of them as a file"});
  }
  const auto before = open_plan(before_);
  if (!before) return report.failure(before.error());
  const auto after = open_plan(after_);
  if (!after) return report.failure(after.error());
  const PlanDiff diff = diff_plans(*before, *after);
  if (report.json()) {
    report.result(plan_diff_json(diff));
  } else if (!report.quiet()) {
    report.result(plan_diff_text(diff));
  }
  return diff.same() ? kYes : kNo;
}

}  // namespace berth::cli
