#pragma once

#include <CLI/CLI.hpp>

#include "berth/render/table.h"
#include "cli/report.h"

namespace berth::cli {

// --json, --quiet and --color, which every command takes.
class CommonOptions {
 public:
  void add_to(CLI::App& command);

  Report report() const { return {json_, quiet_}; }
  // As asked for; else where standard output is a terminal and NO_COLOR is not set.
  Colour colour() const;

 private:
  bool json_ = false;
  bool quiet_ = false;
  bool colour_ = false;
  CLI::Option* colour_option_ = nullptr;
};

}  // namespace berth::cli
