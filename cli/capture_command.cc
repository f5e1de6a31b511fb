#include "cli/capture_command.h"

#include "berth/formats/write_files.h"
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
  outputs_.add_to(*command_,
                  "Where to write, by ending: .planes.json, .launches.json, .launches.bin;");
  common_.add_to(*command_);
}

ExitStatus CaptureCommand::run() const {
  const Report report = common_.report();
  const auto places = outputs_.places(arena_form_endings());
  if (!places) return report.failure(places.error());
  const auto file = open_input(run_);
  if (!file) return report.failure(file.error());
  const auto lowered =
      read_capture_file(*file, kernels_ ? CapturedPart::Kernels : CapturedPart::Everything);
  if (!lowered) return report.failure(lowered.error());
  const auto forms = arena_forms(lowered->planes, lowered->launches, *places);
  const auto written = write_files(forms);
  if (!written) return report.failure(written.error());
  const bool stdout_is_taken = outputs_.take_standard_output();
  if (report.json() && !stdout_is_taken) {
    report.result(capture_json(*lowered));
    return kYes;
  }
  for (const std::string& warning : lowered->warnings) report.note(warning);
  say_written(forms, *written, report);
  if (!report.quiet() && !stdout_is_taken) report.result(capture_text(*lowered));
  return kYes;
}

}  // namespace berth::cli
