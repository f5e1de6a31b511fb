#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace berth::cli {

// berth convert IN OUT
class ConvertCommand {
 public:
  explicit ConvertCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string from_;
  std::string to_;
  std::string form_;
  std::string prefix_;
  CommonOptions common_;
};

}  // namespace berth::cli
