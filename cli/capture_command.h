#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output_options.h"

namespace berth::cli {

// berth capture RUN [-o FILE]...
class CaptureCommand {
 public:
  explicit CaptureCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string run_;
  OutputOptions outputs_;
  bool kernels_ = false;
  CommonOptions common_;
};

}  // namespace berth::cli
