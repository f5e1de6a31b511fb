#include "cli/explain_command.h"

#include "berth/pipeline/explain_file.h"
#include "berth/render/explanation_text.h"
#include "cli/option_rules.h"
#include "cli/report.h"

namespace berth::cli {

ExplainCommand::ExplainCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "explain", "Say what an arena's peak is made of, and what changes would win")) {
  command_->add_option("INPUT", input_, kInputToPlan)->required();
  options_.add_to(*command_, /*for_check=*/false);
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
  const auto explanation = explain_file(*file, *options);
  if (!explanation) return report.failure(explanation.error());
  if (report.json()) {
    report.result(explanation_json(*explanation));
  } else if (!report.quiet()) {
    report.result(explanation_text(*explanation));
  }
  return kYes;
}

}  // namespace berth::cli
