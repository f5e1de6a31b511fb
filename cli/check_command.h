#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "berth/pipeline/input.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/plan_options.h"
#include "cli/report.h"

namespace berth::cli {

// berth check PLAN [INPUT]
class CheckCommand {
 public:
  explicit CheckCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  ExitStatus check_residency(const InputFile& file, std::optional<InputFile> input,
                             const PlanOptions& options, const Report& report) const;

  CLI::App* command_;
  std::string plan_;
  std::string input_;
  bool reason_ = false;
  std::string target_;
  PlanOptionTexts options_;
  CommonOptions common_;
};

}  // namespace berth::cli
