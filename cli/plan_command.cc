#include "cli/plan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "berth/formats/file.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/reason_json.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/plan_file.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/render/table.h"
#include "cli/environment.h"
#include "cli/option_rules.h"
#include "cli/search_watch.h"

namespace berth::cli {
namespace {

bool writes_to_stdout(const std::vector<std::string>& outputs) {
  return std::ranges::find(outputs, "-") != outputs.end();
}

// The schedule planner's own message has standard output unless a result stands there that must
// stay what it is; --quiet does not take back what DEBUG asks for.
void say_memory_saved(const PlannedFile& planned, const Report& report, bool stdout_is_taken) {
  if (!planned.memory_saved || !debug_is_on()) return;
  if (report.json() || stdout_is_taken) {
    report.asked_note(*planned.memory_saved);
  } else {
    report.result(*planned.memory_saved + "\n");
  }
}

ExitStatus say_no(const DoesNotFit& no, const std::string& reason_path, const Report& report) {
  if (!no.proved) return report.failure("undecided", no.report, kUndecided);
  if (!no.reason) {
    report.note("the reason is not told: no few buffers were found within the effort");
    return report.failure("does-not-fit", no.report, kNo);
  }
  const std::string reason = write_reason(*no.reason);
  if (!reason_path.empty()) {
    const FileContent file = {reason_path, reason};
    if (const auto written = write_files({&file, 1}); !written) {
      return report.failure(written.error());
    }
    report.note("wrote " + reason_path);
  }
  return report.failure("does-not-fit", no.report, kNo, ",\n \"reason\": " + reason);
}

// What a plan is made of: on a target, its chips' file too.
struct Asked {
  InputFile file;
  std::optional<InputFile> target;
  Policy policy = Policy::Rule;
};

Result<PlanAnswer> watched(const Asked& asked, PlanOptions options, const Report& report) {
  std::optional<SearchWatch> watch(std::in_place, !report.quiet());
  watch->attach(options.pack);
  auto answer = asked.target ? plan_on_target(asked.file, *asked.target, asked.policy, options)
                             : plan_file(asked.file, options);
  const bool was_interrupted = watch->was_interrupted();
  watch.reset();  // and with it the line that it shows
  if (was_interrupted) report.note("interrupted: this is the best that was found so far");
  return answer;
}

ExitStatus say_planned(const InputFile& input, const PlannedFile& planned,
                       const std::vector<std::string>& outputs, const BudgetGate& gate,
                       const Report& report, Colour colour) {
  const auto files = output_forms(input, planned, outputs);
  if (!files) return report.failure(files.error());
  const auto findings = gate.judge(planned.plan);
  if (!findings) return report.failure(findings.error());
  const bool stdout_is_taken = writes_to_stdout(outputs);
  // Files first: a table on the screen beside a file that could not be written would mislead.
  if (const auto written = write_files(*files); !written) return report.failure(written.error());
  for (const std::string& note : planned.question.notes) report.note(note);
  say_memory_saved(planned, report, stdout_is_taken);
  if (!stdout_is_taken && report.json()) {
    report.result(write_plan(planned.plan));
  } else if (!stdout_is_taken && gate.markdown()) {
    report.result(budget_markdown(findings->lines, findings->diff));
  } else if (!stdout_is_taken && !report.quiet()) {
    report.result(plan_table(planned.plan, colour));
    if (gate.asked()) report.result(budget_text(findings->lines, findings->diff));
  }
  for (const FileContent& file : *files) {
    if (file.path != "-") report.note("wrote " + file.path);
  }
  for (const BudgetLine& line : findings->lines) {
    if (!line.fails()) continue;
    report.note(fmt::format("{} has {} bytes, {}", line.arena, line.now.count(),
                            line.budget ? fmt::format("its budget is {}", line.budget->count())
                                        : fmt::format("in the baseline {}", line.before->count())));
  }
  return findings->kept() ? kYes : kNo;
}

}  // namespace

PlanCommand::PlanCommand(CLI::App& app)
    : command_(app.add_subcommand("plan", "Find where every buffer lives in its device's arena")) {
  command_->add_option("INPUT", input_, kInputToPlan)->required();
  command_
      ->add_option(
          "-o,--output", outputs_,
          "Write the answer, in the form that the ending says: .json the plan, .csv the "
          "table with offsets, .svg or .html the map, .h a C header, .schedule.json the "
          "rewritten schedule, .launches.json and .planes.json what certify takes, .tflite the "
          "model with the plan inside; - is "
          "the plan on standard output. May be given again")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command_
      ->add_option("--reason", reason_,
                   "Where nothing fits: write why, as few buffers as say it, for 'berth check' "
                   "(.json)")
      ->type_name("FILE");
  command_
      ->add_option("--target", target_,
                   "The chips (.toml): finds the memory of each tensor, an arena for each memory, "
                   "and the launches, certified. INPUT may be a deployment then")
      ->type_name("FILE");
  command_
      ->add_option("--policy", policy_,
                   "With --target: rule, as its source says (default), or best, the least off chip")
      ->check(CLI::IsMember({"rule", "best"}));
  options_.add_to(*command_, /*for_check=*/false);
  gate_.add_to(*command_);
  common_.add_to(*command_);
}

ExitStatus PlanCommand::run() const {
  const Report report = common_.report();
  if (const auto fault = find_output_fault(outputs_)) return report.failure(*fault);
  if (!reason_.empty() && !reason_.ends_with(".json")) {
    return report.failure({Error::Kind::Usage, "--reason", "found '" + reason_ + "'",
                           "expected a file whose name ends in .json"});
  }
  auto options = options_.parse();
  if (!options) return report.failure(options.error());
  auto file = open_input(input_);
  if (!file) return report.failure(file.error());
  if (kind_of(file->content) == InputKind::ScheduleJson) {
    const auto is_off = planner_is_off();
    if (!is_off) return report.failure(is_off.error());
    options->planner_off = *is_off;
  }
  Asked asked{*std::move(file), {}, policy_ == "best" ? Policy::Best : Policy::Rule};
  const Use use = target_.empty() ? Use::Plan : Use::PlanOnTarget;
  if (auto fault = find_misplaced_option(*options, asked.file, use)) return report.failure(*fault);
  if (!target_.empty()) {
    if (!reason_.empty()) {
      return report.failure({Error::Kind::Usage, "--reason",
                             "names buffers that do not go into a device's --capacity, which a "
                             "target takes the place of",
                             "leave it out"});
    }
    auto target = open_input(target_);
    if (!target) return report.failure(target.error());
    asked.target = *std::move(target);
  } else if (!policy_.empty()) {
    return report.failure({Error::Kind::Usage, "--policy", "says what stays in a target's SRAM",
                           "give the chips with --target"});
  }

  const auto answer = watched(asked, *options, report);
  if (!answer) return report.failure(answer.error());
  if (const auto* no = std::get_if<DoesNotFit>(&*answer)) {
    if (asked.target) return report.failure("does-not-fit", no->report, kNo);
    return say_no(*no, reason_, report);
  }
  if (const auto* broken = std::get_if<BrokenPromise>(&*answer)) {
    return report.failure("internal",
                          "berth: a fault of our own: the plan did not pass the check and was not "
                          "written\n" +
                              broken->report,
                          kBrokenPromise);
  }
  return say_planned(asked.file, std::get<PlannedFile>(*answer), outputs_, gate_, report,
                     common_.colour());
}

}  // namespace berth::cli
