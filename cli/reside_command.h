#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/common_options.h"
#include "cli/exit_status.h"

namespace berth::cli {

// berth reside INPUT --target T
class ResideCommand {
 public:
  explicit ResideCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  CLI::App* command_;
  std::string input_;
  std::string target_;
  std::string policy_ = "rule";
  bool split_ = false;
  bool concurrent_ = false;
  std::uint64_t effort_ = 2'000;
  CommonOptions common_;
};

}  // namespace berth::cli
