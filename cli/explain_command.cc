#include "cli/explain_command.h"

#include <algorithm>
#include <string>
#include <utility>

#include "berth/base/text.h"
#include "berth/pipeline/explain_file.h"
#include "berth/render/explanation_text.h"
#include "cli/option_rules.h"
#include "cli/report.h"
#include "cli/watch.h"

namespace berth::cli {
namespace {

struct Explained {
  Result<Explanation> explanation;
  bool was_interrupted = false;
};

Explained explained(const InputFile& file, PlanOptions options, const Report& report) {
  SearchWatch watch(report, "explaining " + printable(file.path));
  watch.attach(options.pack);
  options.on_stage = [&](const std::string& stage) { watch.say(stage); };
  auto explanation = explain_file(file, options);
  return {std::move(explanation), watch.was_interrupted()};
}

}  // namespace

ExplainCommand::ExplainCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "explain", "Say what an arena's peak is made of, and what changes would win")) {
  command_->add_option("INPUT", input_, kInputToPlan)->required();
  options_.add_to_explain(*command_);
  common_.add_to(*command_);
}

ExitStatus ExplainCommand::run() const {
  const Report report = common_.report();
  const auto options = options_.parse();
  if (!options) return report.failure(options.error());
  const auto file = open_input(input_);
  if (!file) return report.failure(file.error());
  if (auto fault = find_misplaced_option(*options, *file, Use::Explain)) {
    return report.failure(*fault);
  }
  const auto [explanation, was_interrupted] = explained(*file, *options, report);
  if (was_interrupted) report.note("interrupted: this is what was found so far");
  if (!explanation) return report.failure(explanation.error());
  if (report.json()) {
    report.result(explanation_json(*explanation));
  } else if (!report.quiet()) {
    report.result(explanation_text(*explanation));
  }
  return std::ranges::all_of(*explanation, &ArenaExplanation::meets_goal) ? kYes : kNo;
}

}  // namespace berth::cli
