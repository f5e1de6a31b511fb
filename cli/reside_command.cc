#include "cli/reside_command.h"

#include <variant>

#include "berth/formats/residency_json.h"
#include "berth/pipeline/reside_file.h"
#include "berth/render/residency_table.h"

namespace berth::cli {

ResideCommand::ResideCommand(CLI::App& app)
    : command_(app.add_subcommand("reside", "Find which memory of a chip each tensor lives in")) {
  command_->add_option("INPUT", input_, "A program or a deployment (.json); - is standard input")
      ->required();
  command_->add_option("--target", target_, "The chips (.toml)")->type_name("FILE")->required();
  command_->add_option("--policy", policy_, "rule: as its source says; best: the least off chip")
      ->check(CLI::IsMember({"rule", "best"}));
  command_->add_flag("--split", split_,
                     "The best may keep the first layers of a state and let the others leave");
  command_->add_flag("--concurrent", concurrent_,
                     "Programs run at once: what they reserve adds up");
  command_->add_option("--effort", effort_, "Search budget in nodes")->type_name("N");
  common_.add_to(*command_);
}

ExitStatus ResideCommand::run() const {
  const Report report = common_.report();
  const auto input = open_input(input_);
  if (!input) return report.failure(input.error());
  const auto target = open_input(target_);
  if (!target) return report.failure(target.error());
  const ResideOptions options = {policy_ == "best" ? Policy::Best : Policy::Rule, split_,
                                 concurrent_, effort_};
  const auto result = reside_file(*input, *target, options);
  if (!result) return report.failure(result.error());
  if (const auto* broken = std::get_if<BrokenPromise>(&*result)) {
    return report.failure("internal", "berth: a fault of our own: " + broken->report,
                          kBrokenPromise);
  }
  const auto& [deployment, chips, answer] = std::get<ResidedFile>(*result);
  if (report.json()) {
    report.result(write_residency(answer, deployment));
  } else if (!report.quiet()) {
    report.result(residency_table(answer, deployment, chips, common_.colour()));
  }
  return answer.plan.feasible() ? kYes : kNo;
}

}  // namespace berth::cli
