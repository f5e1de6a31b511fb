#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace berth::cli {

// berth certify PLANES LAUNCHES
class CertifyCommand {
 public:
  explicit CertifyCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string planes_;
  std::string launches_;
  bool exact_ = false;
  bool strict_ = false;
  bool allow_vacuous_ = false;
  CommonOptions common_;
};

}  // namespace berth::cli
