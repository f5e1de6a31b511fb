#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/budget_gate.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/plan_options.h"

namespace berth::cli {

// berth plan INPUT [-o FILE]...
class PlanCommand {
 public:
  explicit PlanCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string input_;
  std::vector<std::string> outputs_;
  std::string reason_;
  std::string target_;
  std::string policy_;
  PlanOptionTexts options_;
  BudgetGate gate_;
  CommonOptions common_;
};

}  // namespace berth::cli
