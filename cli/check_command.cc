#include "cli/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/base/text.h"
#include "berth/certify/explain_placement.h"
#include "berth/formats/json.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/check_reason_file.h"
#include "berth/pipeline/check_residency_file.h"
#include "cli/environment.h"
#include "cli/option_rules.h"

namespace berth::cli {
namespace {

// Of so many arenas is it said what their bound rests on.
constexpr std::size_t kMostBounds = 16;

bool is_confirmed(const BoundFinding& found) {
  return found.answer == BoundFinding::Answer::Confirmed;
}

std::string bounds_json(const CheckedFile& checked) {
  std::string text;
  for (std::size_t i = 0; i < checked.bounds.size(); ++i) {
    const BoundFinding& found = checked.bounds[i];
    text += fmt::format("{}{{\"arena\": {}, \"lower_bound\": {}, \"confirmed\": {}, \"why\": {}}}",
                        i == 0 ? "" : ", ", i, checked.plan.arenas[i].figures.lower_bound.count(),
                        is_confirmed(found), json_quoted(found.why));
  }
  return text;
}

std::string bounds_text(const CheckedFile& checked) {
  std::string text;
  const std::size_t told = std::min(checked.bounds.size(), kMostBounds);
  for (std::size_t i = 0; i < told; ++i) {
    const BoundFinding& found = checked.bounds[i];
    const PlannedArena& arena = checked.plan.arenas[i];
    const std::string name = arena.device.empty() ? "" : " of " + printable(arena.device);
    text += fmt::format("lower bound {}{}: {}, {}\n", arena.figures.lower_bound.count(), name,
                        is_confirmed(found) ? "confirmed" : "taken at the plan's word", found.why);
  }
  if (told < checked.bounds.size()) {
    text += fmt::format("and the lower bounds of {} more arenas (--json says what of them)\n",
                        checked.bounds.size() - told);
  }
  return text;
}

std::string strings_json(const std::vector<std::string>& strings) {
  std::string text;
  for (const std::string& it : strings) text += (text.empty() ? "" : ", ") + json_quoted(it);
  return text;
}

std::string json_text(const CheckedFile& checked) {
  std::string faults;
  for (const PlacementFault& fault : checked.verdict.faults()) {
    faults +=
        fmt::format("{}\n  {{\"kind\": {}, \"count\": {}, \"message\": {}}}",
                    faults.empty() ? "" : ",", json_quoted(kind_name(fault)),
                    checked.verdict.count_like(fault), json_quoted(explain(fault, checked.plan)));
  }
  if (checked.order_fault) {
    faults += fmt::format("{}\n  {{\"kind\": \"wrong-order\", \"count\": 1, \"message\": {}}}",
                          faults.empty() ? "" : ",", json_quoted(*checked.order_fault));
  }
  return fmt::format(
      "{{\"sound\": {}, \"buffers\": {}, \"arenas\": {},\n \"faults\": [{}],\n \"mismatch\": {},\n "
      "\"by_plan_alone\": [{}],\n \"lower_bounds\": [{}],\n \"notes\": [{}]}}\n",
      checked.sound(), checked.plan.buffers.size(), checked.plan.arenas.size(), faults,
      checked.mismatch ? json_quoted(*checked.mismatch) : "null",
      strings_json(checked.by_plan_alone), bounds_json(checked), strings_json(checked.notes));
}

std::string text_of(const CheckedFile& checked) {
  std::string text;
  if (checked.mismatch) {
    text = "not a plan for this input: " + printable(*checked.mismatch) + "\n";
    if (checked.plan.arenas.empty()) return text;  // of an answer without places there is no more
    text += "by itself ";
  }
  if (checked.order_fault && checked.verdict.sound()) {
    text += "not sound\n";
  } else {
    text += explain(checked.verdict, checked.plan);
  }
  if (checked.order_fault) text += "  " + printable(*checked.order_fault) + "\n";
  if (checked.verdict.sound() && !checked.order_fault) text += bounds_text(checked);
  if (checked.by_plan_alone.empty()) return text;
  text += "as the plan alone says:";
  for (const std::string& option : checked.by_plan_alone) text += " " + printable(option);
  return text + "\n";
}

std::string_view name_of(ReasonVerdict::Answer answer) {
  switch (answer) {
    case ReasonVerdict::Answer::Confirmed:
      return "confirmed";
    case ReasonVerdict::Answer::Refuted:
      return "refuted";
    case ReasonVerdict::Answer::Undecided:
      return "undecided";
  }
  __builtin_unreachable();
}

ExitStatus status_of(const CheckedReason& checked) {
  if (checked.mismatch || checked.verdict.answer == ReasonVerdict::Answer::Refuted) return kNo;
  return checked.verdict.answer == ReasonVerdict::Answer::Confirmed ? kYes : kUndecided;
}

ExitStatus say_reason(const Result<CheckedReason>& checked, const Report& report) {
  if (!checked) return report.failure(checked.error());
  const ReasonVerdict& verdict = checked->verdict;
  const std::string_view name = name_of(verdict.answer);
  if (report.json()) {
    report.result(
        fmt::format("{{\"reason\": \"{}\", \"why\": {}, \"cases\": {}, \"mismatch\": {}}}\n", name,
                    json_quoted(verdict.why), verdict.cases,
                    checked->mismatch ? json_quoted(*checked->mismatch) : "null"));
  } else if (!report.quiet()) {
    report.result(fmt::format("{}: {}\n", name, verdict.why));
    if (checked->mismatch) {
      report.result("not a reason about this input: " + *checked->mismatch + "\n");
    }
  }
  return status_of(*checked);
}

}  // namespace

CheckCommand::CheckCommand(CLI::App& app)
    : command_(app.add_subcommand("check", "Judge a plan from any hand, independently")) {
  command_
      ->add_option(
          "PLAN", plan_,
          "A plan (.json), a table with offsets (.csv), or a .tflite model that carries an "
          "offline plan; or a residency with its prices; - is standard input")
      ->required();
  command_->add_option("INPUT", input_, "The file that the plan was made from");
  command_->add_flag("--reason", reason_,
                     "PLAN is the reason for which a plan was refused: buffers that by themselves "
                     "do not fit");
  command_->add_option("--target", target_, "The chips that a residency or a plan was made for")
      ->type_name("FILE");
  options_.add_to(*command_, /*for_check=*/true);
  common_.add_to(*command_);
}

ExitStatus CheckCommand::run() const {
  const Report report = common_.report();
  auto options = options_.parse();
  if (!options) return report.failure(options.error());
  const auto plan = open_input(plan_);
  if (!plan) return report.failure(plan.error());
  std::optional<InputFile> input;
  if (!input_.empty()) {
    auto opened = open_input(input_);
    if (!opened) return report.failure(opened.error());
    input = *std::move(opened);
    if (kind_of(input->content) == InputKind::ScheduleJson) {
      const auto is_off = planner_is_off();
      if (!is_off) return report.failure(is_off.error());
      options->planner_off = *is_off;
    }
  }
  if (auto fault = find_misplaced_option(*options, input ? *input : *plan, Use::Judge)) {
    return report.failure(*fault);
  }
  if (kind_of(plan->content) == InputKind::ResidencyJson) {
    return check_residency(*plan, std::move(input), *options, report);
  }
  if (reason_ || kind_of(plan->content) == InputKind::ReasonJson) {
    return say_reason(check_reason_file(*plan, input, *options), report);
  }
  std::optional<InputFile> target;
  if (!target_.empty()) {
    auto opened = open_input(target_);
    if (!opened) return report.failure(opened.error());
    target = *std::move(opened);
  }
  const auto checked = check_file(*plan, input, *options, target);
  if (!checked) return report.failure(checked.error());
  for (const std::string& note : checked->notes) report.note(note);
  if (report.json()) {
    report.result(json_text(*checked));
  } else if (!report.quiet()) {
    report.result(text_of(*checked));
  }
  return checked->sound() ? kYes : kNo;
}

ExitStatus CheckCommand::check_residency(const InputFile& file, std::optional<InputFile> input,
                                         const PlanOptions& options, const Report& report) const {
  std::optional<ResidencySource> source;
  if (!input != target_.empty()) {
    return report.failure({Error::Kind::Usage, "berth check",
                           "a residency is compared with its input and its target together",
                           "give INPUT and --target, or neither"});
  }
  if (input) {
    auto target = open_input(target_);
    if (!target) return report.failure(target.error());
    source = ResidencySource{*std::move(input), *std::move(target), options};
  }
  const auto verdict = check_residency_file(file, source);
  if (!verdict) return report.failure(verdict.error());
  if (report.json()) {
    std::string faults;
    for (const std::string& fault : verdict->faults) {
      faults += (faults.empty() ? "" : ",\n  ") + json_quoted(fault);
    }
    report.result(fmt::format("{{\"sound\": {}, \"bound\": {},\n \"faults\": [{}]}}\n",
                              verdict->sound(), verdict->bound.count(), faults));
  } else if (!report.quiet()) {
    std::string text;
    for (const std::string& fault : verdict->faults) text += "not sound: " + fault + "\n";
    if (verdict->sound()) {
      text = fmt::format("sound: no plan moves less than {} bytes a step off chip\n",
                         verdict->bound.count());
    }
    report.result(text);
  }
  return verdict->sound() ? kYes : kNo;
}

}  // namespace berth::cli
