#include "cli/convert_command.h"

#include <fmt/format.h>

#include <array>

#include "berth/formats/json.h"
#include "berth/pipeline/convert_file.h"
#include "cli/header_options.h"
#include "cli/output_options.h"
#include "cli/watch.h"

namespace berth::cli {

ConvertCommand::ConvertCommand(CLI::App& app)
    : command_(app.add_subcommand("convert", "Write a file in another form that holds the same")) {
  command_
      ->add_option("IN", from_,
                   "Launches, planes, a schedule or a plan, known by its content; - is standard "
                   "input")
      ->required();
  command_
      ->add_option("OUT", to_,
                   "Where to write, by ending: .launches.json or .launches.bin; .planes.json; "
                   ".schedule.json; a plan as .json, .svg, .html or .h; - is standard output")
      ->required();
  command_
      ->add_option("--form", form_,
                   "The form of an OUT whose name does not say it, such as -: the ending that it "
                   "would have")
      ->type_name("ENDING");
  add_prefix_option(*command_, prefix_);
  common_.add_to(*command_);
}

ExitStatus ConvertCommand::run() const {
  const Report report = common_.report();
  if (const auto fault = find_prefix_fault(prefix_)) return report.failure(*fault);
  const auto file =
      watched(report, "converting", [&] { return convert_file(from_, to_, form_, prefix_); });
  if (!file) return report.failure(file.error());
  const std::array files = {*file};
  const auto written = write_files(files);
  if (!written) return report.failure(written.error());
  if (report.json() && !is_standard_output(to_)) {
    report.result(fmt::format("{{\"wrote\": {}, \"bytes\": {}}}\n", json_quoted(file->path),
                              file->content.size()));
  } else {
    say_written(files, *written, report);
  }
  return kYes;
}

}  // namespace berth::cli
