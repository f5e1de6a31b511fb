#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// The whole of a file; "-" is standard input.
Result<std::string> read_file(const std::string& path);

// The last part of a path; "-" for standard input.
std::string base_name(const std::string& path);

struct FileContent {
  std::string path;  // "-" is standard output
  std::string content;
};

// Writes every file whole, or none: each is written beside its place under a temporary name, and
// only when all of them stand are they renamed. What was there before stays until then; no
// temporary file is left behind, and an interrupt waits until the last rename.
Result<void> write_files(std::span<const FileContent> files);

}  // namespace berth
