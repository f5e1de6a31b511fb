#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace berth::cli {

// berth replay SCHEDULE [ORIGINAL]
class ReplayCommand {
 public:
  explicit ReplayCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string schedule_;
  std::string original_;
  CommonOptions common_;
};

}  // namespace berth::cli
