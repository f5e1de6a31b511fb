#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output_options.h"
#include "cli/plan_options.h"

namespace berth::cli {

// berth show FILE [-o MAP]...
class ShowCommand {
 public:
  explicit ShowCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string file_;
  OutputOptions outputs_;
  PlanOptionTexts options_;
  CommonOptions common_;
};

}  // namespace berth::cli
