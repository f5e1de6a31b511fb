#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace berth::cli {

// berth diff BEFORE AFTER
class DiffCommand {
 public:
  explicit DiffCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string before_;
  std::string after_;
  CommonOptions common_;
};

}  // namespace berth::cli
