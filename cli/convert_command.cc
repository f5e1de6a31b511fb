#include "cli/convert_command.h"

#include <fmt/format.h>

#include <array>

#include "berth/formats/json.h"
#include "berth/pipeline/convert_file.h"

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
                   ".schedule.json; a plan as .json, .svg, .html or .h")
      ->required();
  common_.add_to(*command_);
}

ExitStatus ConvertCommand::run() const {
  const Report report = common_.report();
  const auto file = convert_file(from_, to_);
  if (!file) return report.failure(file.error());
  if (const auto written = write_files(std::array{*file}); !written) {
    return report.failure(written.error());
  }
  if (report.json()) {
    report.result(fmt::format("{{\"wrote\": {}, \"bytes\": {}}}\n", json_quoted(file->path),
                              file->content.size()));
  } else {
    report.note("wrote " + file->path);
  }
  return kYes;
}

}  // namespace berth::cli
