#include "cli/output_options.h"

#include <algorithm>

namespace berth::cli {

void OutputOptions::add_to(CLI::App& command, const std::string& what) {
  command.add_option("-o,--output", paths_, what + " - is standard output. May be given again")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--form", form_,
                  "The form of outputs whose names do not say it, such as - or a pipe: the ending "
                  "that it would have, such as json")
      ->type_name("ENDING");
}

Result<std::vector<OutputPlace>> OutputOptions::places(const KnownForms& forms) const {
  return output_places(paths_, form_, forms);
}

bool OutputOptions::take_standard_output() const {
  return std::ranges::any_of(paths_, is_standard_output);
}

void say_written(std::span<const FileContent> files, const WrittenFiles& written,
                 const Report& report) {
  for (const std::string& note : written.notes) report.note(note);
  for (const FileContent& file : files) {
    if (!is_standard_output(file.path)) report.note("wrote " + file.path);
  }
}

}  // namespace berth::cli
