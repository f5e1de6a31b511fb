#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth {

struct FileContent {
  std::string path;  // "-" is standard output
  std::string content;
};

// What a person should know of files that were written well.
struct WrittenFiles {
  std::vector<std::string> notes;
};

// Writes every file whole, or none: each is written beside its place under a temporary name, and
// only when all of them stand, and are on the disk, do they take their places. What was there
// before is kept until the last one has; where one cannot, the others get back what they had. No
// temporary file is left behind, and a signal waits until the last of them is done.
//
// A file that is mounted where it lies (as containers do) has a place that nothing else can take:
// it is written in place, after the others, and a note says so. A link stays, and what it leads to
// is replaced, or made. Then pipes, devices and open descriptors ("-", /dev/stdout, /dev/fd/N) are
// written to as they stand, one after another, and an interrupt ends that.
Result<WrittenFiles> write_files(std::span<const FileContent> files);

// Whether what is written to `path` goes to standard output: "-", /dev/stdout and their like.
bool is_standard_output(const std::string& path);

// Whether what is written to `path` is no plain file: a pipe, a device, an open descriptor.
bool is_stream(const std::string& path);

// Two of `paths` that are one file under two names, such as t.json and ./t.json, or a link and what
// it leads to.
std::optional<Error> find_file_named_twice(std::span<const std::string> paths);

}  // namespace berth
