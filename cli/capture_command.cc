#include "cli/capture_command.h"

#include "berth/formats/file.h"
#include "berth/pipeline/arena_forms.h"
#include "berth/pipeline/capture_file.h"

namespace berth::cli {

CaptureCommand::CaptureCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "capture", "Turn what was seen of a program's run into planes and launches")) {
  command_
      ->add_option("RUN", run_,
                   "What the OpenCL layer recorded (berth.capture); - is standard input")
      ->required();
  command_->add_flag(
      "--kernels", kernels_,
      "Take kernels alone, without what moves or fills bytes: steps are then counted "
      "as those of a schedule are");
  command_
      ->add_option("-o,--output", outputs_,
                   "Where to write, by ending: .planes.json, .launches.json, .launches.bin. May be "
                   "given again")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  common_.add_to(*command_);
}

ExitStatus CaptureCommand::run() const {
  const Report report = common_.report();
  if (const auto fault = find_arena_output_fault(outputs_)) return report.failure(*fault);
  const auto file = open_input(run_);
  if (!file) return report.failure(file.error());
  const auto lowered =
      read_capture_file(*file, kernels_ ? CapturedPart::Kernels : CapturedPart::Everything);
  if (!lowered) return report.failure(lowered.error());
  const auto forms = arena_forms(lowered->planes, lowered->launches, outputs_);
  if (const auto written = write_files(forms); !written) return report.failure(written.error());
  if (report.json()) {
    report.result(capture_json(*lowered));
    return kYes;
  }
  for (const std::string& warning : lowered->warnings) report.note(warning);
  for (const FileContent& form : forms) report.note("wrote " + form.path);
  if (!report.quiet()) report.result(capture_text(*lowered));
  return kYes;
}

}  // namespace berth::cli
