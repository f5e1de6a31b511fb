#include "cli/reside_command.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "berth/formats/residency_json.h"
#include "berth/formats/sweep_text.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/reside_file.h"
#include "berth/pipeline/sweep_file.h"
#include "berth/render/residency_map.h"
#include "berth/render/residency_table.h"
#include "berth/render/sweep_plot.h"
#include "cli/option_rules.h"
#include "cli/watch.h"

namespace berth::cli {
namespace {

ExitStatus fault(const BrokenPromise& broken, const Report& report) {
  return report.failure("internal", "berth: a fault of our own: " + broken.report, kBrokenPromise);
}

// "all", or "sram=FROM:TO".
Result<SweepRange> read_range(const std::string& text) {
  constexpr std::string_view prefix = "sram=";
  if (text == "all") return SweepRange{Bytes(1), std::nullopt};
  const auto colon = text.find(':');
  if (text.starts_with(prefix) && colon != std::string::npos) {
    const auto from = parse_size(text.substr(prefix.size(), colon - prefix.size()));
    const auto to = parse_size(text.substr(colon + 1));
    if (from && to && *from >= 1 && *from <= *to) return SweepRange{Bytes(*from), Bytes(*to)};
  }
  return usage_error(
      "--sweep " + text, "is no range of SRAM",
      "expected all, or sram=FROM:TO with FROM from 1 to TO, such as sram=1MiB:64MiB");
}

constexpr std::array<std::string_view, 3> kResidencyEndings = {".json", ".svg", ".html"};
constexpr std::array<std::string_view, 3> kSweepEndings = {".csv", ".json", ".svg"};

std::vector<FileContent> residency_forms(const ResidedFile& file,
                                         std::span<const OutputPlace> places) {
  const auto& [deployment, target, answer, notes] = file;
  std::vector<FileContent> files;
  for (const auto& [path, ending] : places) {
    files.push_back({path, ending == ".json"  ? write_residency(answer, deployment)
                           : ending == ".svg" ? residency_svg(answer, deployment, target)
                                              : residency_html(answer, deployment, target)});
  }
  return files;
}

std::vector<FileContent> sweep_forms(const Sweep& sweep, std::span<const OutputPlace> places) {
  std::vector<FileContent> files;
  for (const auto& [path, ending] : places) {
    files.push_back({path, ending == ".csv"    ? write_sweep_csv(sweep)
                           : ending == ".json" ? write_sweep(sweep)
                                               : sweep_svg(sweep)});
  }
  return files;
}

}  // namespace

ResideCommand::ResideCommand(CLI::App& app)
    : command_(app.add_subcommand("reside", "Find which memory of a chip each tensor lives in")) {
  command_
      ->add_option(
          "INPUT", input_,
          "A .tflite or .onnx model, a program or a deployment (.json); - is standard input")
      ->required();
  command_->add_option("--target", target_, "The chips (.toml)")->type_name("FILE")->required();
  command_->add_option("--policy", policy_, "rule: as its source says; best: the least off chip")
      ->check(CLI::IsMember({"rule", "best"}));
  command_->add_flag("--split", split_,
                     "The best may keep the first layers of a state and let the others leave");
  command_->add_flag(
      "--intervals", intervals_,
      "The best may let an intermediate leave after a use and come back for another");
  command_->add_flag("--concurrent", concurrent_,
                     "Programs run at once: what they reserve adds up");
  command_->add_option("--effort", effort_, "Search budget in nodes")->type_name("N");
  command_
      ->add_option("--sweep", sweep_,
                   "The traffic over a range of SRAM: sram=FROM:TO, or all: until nothing changes")
      ->type_name("RANGE");
  outputs_.add_to(*command_, "With --sweep: .csv, .json, .svg. Else: .json, .svg and .html;");
  model_.add_model_to(*command_);
  common_.add_to(*command_);
}

Result<ResideOptions> ResideCommand::options() const {
  auto model = model_.parse();
  if (!model) return tl::unexpected(model.error());
  return ResideOptions{policy_ == "best" ? Policy::Best : Policy::Rule,
                       split_,
                       concurrent_,
                       effort_,
                       intervals_,
                       *std::move(model)};
}

ExitStatus ResideCommand::run() const {
  const Report report = common_.report();
  const auto places =
      outputs_.places(sweep_.empty() ? KnownForms{"a residency", kResidencyEndings, ".json"}
                                     : KnownForms{"a sweep", kSweepEndings, ".csv"});
  if (!places) return report.failure(places.error());
  const auto input = open_input(input_);
  if (!input) return report.failure(input.error());
  const auto target = open_input(target_);
  if (!target) return report.failure(target.error());
  const auto asked = options();
  if (!asked) return report.failure(asked.error());
  if (auto fault = find_misplaced_option(asked->model, *input, Use::Reside)) {
    return report.failure(*fault);
  }
  return sweep_.empty() ? reside(*input, *target, *asked, *places, report)
                        : sweep(*input, *target, *asked, *places, report);
}

ExitStatus ResideCommand::reside(const InputFile& input, const InputFile& target,
                                 const ResideOptions& options, std::span<const OutputPlace> places,
                                 const Report& report) const {
  const auto result =
      watched(report, "finding who stays", [&] { return reside_file(input, target, options); });
  if (!result) return report.failure(result.error());
  if (const auto* broken = std::get_if<BrokenPromise>(&*result)) return fault(*broken, report);
  const auto& resided = std::get<ResidedFile>(*result);
  const auto& [deployment, chips, answer, notes] = resided;
  const auto files = residency_forms(resided, places);
  const auto written = write_files(files);
  if (!written) return report.failure(written.error());
  for (const std::string& note : notes) report.note(note);
  const bool stdout_is_taken = outputs_.take_standard_output();
  if (!stdout_is_taken && report.json()) {
    report.result(write_residency(answer, deployment));
  } else if (!stdout_is_taken && !report.quiet()) {
    report.result(residency_table(answer, deployment, chips, common_.colour()));
  }
  say_written(files, *written, report);
  return answer.plan.feasible() ? kYes : kNo;
}

ExitStatus ResideCommand::sweep(const InputFile& input, const InputFile& target,
                                const ResideOptions& options, std::span<const OutputPlace> places,
                                const Report& report) const {
  if (concurrent_) {
    return report.failure({Error::Kind::Usage, "--sweep", "is of programs that run one at a time",
                           "leave out --concurrent"});
  }
  const auto range = read_range(sweep_);
  if (!range) return report.failure(range.error());
  const auto result = watched(report, "sweeping over sizes of SRAM",
                              [&] { return sweep_file(input, target, *range, options); });
  if (!result) return report.failure(result.error());
  if (const auto* broken = std::get_if<BrokenPromise>(&*result)) return fault(*broken, report);
  const auto& found = std::get<Sweep>(*result);
  const auto files = sweep_forms(found, places);
  const auto written = write_files(files);
  if (!written) return report.failure(written.error());
  const bool stdout_is_taken = outputs_.take_standard_output();
  if (!stdout_is_taken && report.json()) {
    report.result(write_sweep(found));
  } else if (!stdout_is_taken && !report.quiet()) {
    report.result(sweep_table(found));
  }
  say_written(files, *written, report);
  // However much SRAM there is, within the range.
  if (std::ranges::any_of(found.steps, &SweepStep::feasible)) return kYes;
  for (const Obstacle& it : found.obstacles) report.note("does not fit: " + explain(it));
  return kNo;
}

}  // namespace berth::cli
