#include "cli/plan_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "berth/base/text.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/reason_json.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/outputs.h"
#include "berth/pipeline/peak_kinds.h"
#include "berth/pipeline/plan_file.h"
#include "berth/pipeline/plan_on_target.h"
#include "berth/render/table.h"
#include "cli/environment.h"
#include "cli/header_options.h"
#include "cli/option_rules.h"
#include "cli/watch.h"

namespace berth::cli {
namespace {

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
    if (!no.over_reserved) {
      report.note("the reason is not told: no few buffers were found within the effort");
    }
    return report.failure("does-not-fit", no.report, kNo);
  }
  const std::string reason = write_reason(*no.reason);
  if (!reason_path.empty()) {
    const FileContent file = {reason_path, reason};
    const auto written = write_files({&file, 1});
    if (!written) return report.failure(written.error());
    say_written({&file, 1}, *written, report);
  }
  return report.failure("does-not-fit", no.report, kNo, ",\n \"reason\": " + reason);
}

// What a plan is made of: on a target, its chips' file too.
struct Job {
  InputFile file;
  std::optional<InputFile> target;
  Policy policy = Policy::Rule;
};

struct Watched {
  Result<PlanAnswer> answer;
  bool was_interrupted = false;
};

Watched planned_watched(const Job& job, PlanOptions options, const Report& report) {
  SearchWatch watch(report, "planning " + printable(job.file.path));
  watch.attach(options.pack);
  options.on_stage = [&](const std::string& stage) { watch.say(stage); };
  auto answer = job.target ? plan_on_target(job.file, *job.target, job.policy, options)
                           : plan_file(job.file, options);
  return {std::move(answer), watch.was_interrupted()};
}

struct Outputs {
  std::vector<OutputPlace> places;
  std::string prefix;  // of names in a C header
  bool take_stdout = false;
  bool was_interrupted = false;
};

ExitStatus say_planned(const InputFile& input, const PlannedFile& planned, const Outputs& outputs,
                       const BudgetGate& gate, const Report& report, Colour colour) {
  const auto files = output_forms(input, planned, outputs.places, outputs.prefix);
  if (!files) return report.failure(files.error());
  const auto findings = gate.judge(planned.plan);
  if (!findings) return report.failure(findings.error());
  const bool stdout_is_taken = outputs.take_stdout;
  // Files first: a table on the screen beside a file that could not be written would mislead.
  const auto written = write_files(*files);
  if (!written) return report.failure(written.error());
  for (const std::string& note : planned.question.notes) report.note(note);
  say_memory_saved(planned, report, stdout_is_taken);
  if (!stdout_is_taken && report.json()) {
    report.result(write_plan(planned.plan));
  } else if (!stdout_is_taken && gate.markdown()) {
    report.result(budget_markdown(findings->lines, findings->diff));
  } else if (!stdout_is_taken && !report.quiet()) {
    report.result(plan_table(planned.plan, colour,
                             {.cut_by = outputs.was_interrupted ? "an interrupt" : "a time limit",
                              .by_kind = peaks_by_kind(planned.question, planned.plan)}));
    if (gate.asked()) report.result(budget_text(findings->lines, findings->diff));
  }
  say_written(*files, *written, report);
  for (const std::string& other : findings->asked_otherwise) {
    report.note("the baseline was asked otherwise: " + other);
  }
  for (const BudgetLine& line : findings->lines) {
    if (!line.fails()) continue;
    const std::string beside = line.budget && line.beside > Bytes(0)
                                   ? fmt::format(" and {} beside, together {}", line.beside.count(),
                                                 line.counted().count())
                                   : "";
    // The answer is no: that is said, --quiet or not.
    report.no(fmt::format("{} has {} bytes{}, {}", line.arena, line.now.count(), beside,
                          line.budget ? fmt::format("its budget is {}", line.budget->count())
                                      : fmt::format("in the baseline {}", line.before->count())));
  }
  for (const BudgetLine& line : findings->lines) {
    if (!line.is_open()) continue;
    report.note(fmt::format("{} is not known to keep its budget: only the run knows the size of {}",
                            line.arena, fmt::join(line.unsized, ", ")));
  }
  if (findings->open()) return kUndecided;
  return findings->kept() ? kYes : kNo;
}

}  // namespace

PlanCommand::PlanCommand(CLI::App& app)
    : command_(app.add_subcommand("plan", "Find where every buffer lives in its device's arena")) {
  command_->add_option("INPUT", input_, kInputToPlan)->required();
  outputs_.add_to(*command_,
                  "Write the answer, in the form that the ending says: .json the plan, .csv the "
                  "table with offsets, .svg or .html the map, .h a C header, .schedule.json the "
                  "rewritten schedule, .launches.json and .planes.json what certify takes, .tflite "
                  "the model with the plan inside;");
  add_prefix_option(*command_, prefix_);
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
  const auto places = outputs_.places(plan_forms());
  if (!places) return report.failure(places.error());
  if (const auto fault = find_prefix_fault(prefix_)) return report.failure(*fault);
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
  if (kind_of(file->content) == InputKind::Onnx) {
    options = gate_.with_baseline(*std::move(options));
    if (!options) return report.failure(options.error());
  }
  Job job{*std::move(file), {}, policy_ == "best" ? Policy::Best : Policy::Rule};
  const Use use = target_.empty() ? Use::Plan : Use::PlanOnTarget;
  if (auto fault = find_misplaced_option(*options, job.file, use)) return report.failure(*fault);
  if (!target_.empty()) {
    if (!reason_.empty()) {
      return report.failure({Error::Kind::Usage, "--reason",
                             "names buffers that do not go into a device's --capacity, which a "
                             "target takes the place of",
                             "leave it out"});
    }
    auto target = open_input(target_);
    if (!target) return report.failure(target.error());
    job.target = *std::move(target);
  } else if (!policy_.empty()) {
    return report.failure({Error::Kind::Usage, "--policy", "says what stays in a target's SRAM",
                           "give the chips with --target"});
  }

  const auto [answer, was_interrupted] = planned_watched(job, *options, report);
  if (was_interrupted) report.note("interrupted: this is the best that was found so far");
  if (!answer) return report.failure(answer.error());
  if (const auto* no = std::get_if<DoesNotFit>(&*answer)) {
    if (job.target) return report.failure("does-not-fit", no->report, kNo);
    return say_no(*no, reason_, report);
  }
  if (const auto* broken = std::get_if<BrokenPromise>(&*answer)) {
    return report.failure("internal",
                          "berth: a fault of our own: the plan did not pass the check and was not "
                          "written\n" +
                              broken->report,
                          kBrokenPromise);
  }
  return say_planned(job.file, std::get<PlannedFile>(*answer),
                     {*places, prefix_, outputs_.take_standard_output(), was_interrupted}, gate_,
                     report, common_.colour());
}

}  // namespace berth::cli
