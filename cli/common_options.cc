#include "cli/common_options.h"

#include <unistd.h>

#include <cstdlib>

namespace berth::cli {

void CommonOptions::add_to(CLI::App& command) {
  command.add_flag("--json", json_, "Print one JSON object on standard output");
  command.add_flag("-q,--quiet", quiet_, "Print no table and no notes");
  colour_option_ =
      command.add_flag("--color,!--no-color", colour_, "Colour the table (default: on a terminal)");
}

Colour CommonOptions::colour() const {
  if (colour_option_->count() > 0) return colour_ ? Colour::On : Colour::Off;
  const bool is_wanted = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return is_wanted ? Colour::On : Colour::Off;
}

}  // namespace berth::cli
