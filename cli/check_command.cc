#include "cli/check_command.h"

#include <fmt/format.h>

#include <optional>

#include "berth/certify/explain_placement.h"
#include "berth/formats/json.h"
#include "berth/pipeline/check_file.h"

namespace berth::cli {
namespace {

std::string json_text(const CheckedFile& checked) {
  std::string faults;
  for (const PlacementFault& fault : checked.verdict.faults()) {
    faults +=
        fmt::format("{}\n  {{\"kind\": {}, \"count\": {}, \"message\": {}}}",
                    faults.empty() ? "" : ",", json_quoted(kind_name(fault)),
                    checked.verdict.count_like(fault), json_quoted(explain(fault, checked.plan)));
  }
  std::string notes;
  for (const std::string& note : checked.notes) {
    notes += (notes.empty() ? "" : ", ") + json_quoted(note);
  }
  return fmt::format(
      "{{\"sound\": {}, \"buffers\": {}, \"arenas\": {},\n \"faults\": [{}],\n \"mismatch\": {},\n "
      "\"notes\": [{}]}}\n",
      checked.sound(), checked.plan.buffers.size(), checked.plan.arenas.size(), faults,
      checked.mismatch ? json_quoted(*checked.mismatch) : "null", notes);
}

std::string text_of(const CheckedFile& checked) {
  std::string text = explain(checked.verdict, checked.plan);
  if (checked.mismatch) text += "not a plan for this input: " + *checked.mismatch + "\n";
  return text;
}

}  // namespace

CheckCommand::CheckCommand(CLI::App& app)
    : command_(app.add_subcommand("check", "Judge a plan from any hand, independently")) {
  command_
      ->add_option(
          "PLAN", plan_,
          "A plan (.json), a table with offsets (.csv), or a .tflite model that carries an "
          "offline plan; - is standard input")
      ->required();
  command_->add_option("INPUT", input_, "The file that the plan was made from");
  options_.add_to(*command_, /*for_check=*/true);
  common_.add_to(*command_);
}

ExitStatus CheckCommand::run() const {
  const Report report = common_.report();
  const auto options = options_.parse();
  if (!options) return report.failure(options.error());
  const auto plan = open_input(plan_);
  if (!plan) return report.failure(plan.error());
  std::optional<InputFile> input;
  if (!input_.empty()) {
    auto opened = open_input(input_);
    if (!opened) return report.failure(opened.error());
    input = *std::move(opened);
  }

  const auto checked = check_file(*plan, input, *options);
  if (!checked) return report.failure(checked.error());
  for (const std::string& note : checked->notes) report.note(note);
  if (report.json()) {
    report.result(json_text(*checked));
  } else if (!report.quiet()) {
    report.result(text_of(*checked));
  }
  return checked->sound() ? kYes : kNo;
}

}  // namespace berth::cli
