#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/plan_options.h"

namespace berth::cli {

// berth explain INPUT
class ExplainCommand {
 public:
  explicit ExplainCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string input_;
  PlanOptionTexts options_;
  CommonOptions common_;
};

}  // namespace berth::cli
