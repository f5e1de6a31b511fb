#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "berth/pipeline/reside_file.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output_options.h"
#include "cli/plan_options.h"

namespace berth::cli {

// berth reside INPUT --target T
class ResideCommand {
 public:
  explicit ResideCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  ExitStatus reside(const InputFile& input, const InputFile& target, const ResideOptions& options,
                    std::span<const OutputPlace> places, const Report& report) const;
  ExitStatus sweep(const InputFile& input, const InputFile& target, const ResideOptions& options,
                   std::span<const OutputPlace> places, const Report& report) const;
  Result<ResideOptions> options() const;

  CLI::App* command_;
  std::string input_;
  std::string target_;
  std::string policy_ = "rule";
  bool split_ = false;
  bool intervals_ = false;
  bool concurrent_ = false;
  std::uint64_t effort_ = 2'000;
  std::string sweep_;
  OutputOptions outputs_;
  PlanOptionTexts model_;
  CommonOptions common_;
};

}  // namespace berth::cli
