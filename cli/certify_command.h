#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "berth/pipeline/certify_files.h"
#include "cli/common_options.h"
#include "cli/exit_status.h"
#include "cli/output_options.h"

namespace berth::cli {

// berth certify PLANES LAUNCHES [--shrink -o FILE...]
class CertifyCommand {
 public:
  explicit CertifyCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  ExitStatus run() const;

 private:
  std::optional<Error> find_usage_fault() const;
  // Writes the smallest part of the files that earns the same verdict.
  Result<void> shrink(const CertifiedFiles& files, const CertifyOptions& options,
                      const Report& report) const;

  CLI::App* command_;
  std::string planes_;
  std::string launches_;
  bool exact_ = false;
  bool strict_ = false;
  bool allow_vacuous_ = false;
  bool host_order_ = false;
  bool shrink_ = false;
  bool renumber_ = false;
  OutputOptions outputs_;
  CommonOptions common_;
};

}  // namespace berth::cli
