#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/write_files.h"
#include "berth/pipeline/output_places.h"
#include "cli/report.h"

namespace berth::cli {

// -o and --form, which every command takes that writes files.
class OutputOptions {
 public:
  // `what`: what -o writes, with its endings.
  void add_to(CLI::App& command, const std::string& what);

  bool asked() const { return !paths_.empty() || !form_.empty(); }
  Result<std::vector<OutputPlace>> places(const KnownForms& forms) const;
  // Whether one of them is standard output, which then holds nothing else.
  bool take_standard_output() const;

 private:
  std::vector<std::string> paths_;
  std::string form_;
};

// Says of each file that it was written, and what a person should know of it.
void say_written(std::span<const FileContent> files, const WrittenFiles& written,
                 const Report& report);

}  // namespace berth::cli
