#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/budget_gate.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output_options.h"
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
  OutputOptions outputs_;
  std::string prefix_;
  std::string reason_;
  std::string target_;
  std::string policy_;
  PlanOptionTexts options_;
  BudgetGate gate_;
  CommonOptions common_;
};

}  // namespace berth::cli
