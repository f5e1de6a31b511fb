#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// The whole of a file; "-" is standard input. Refused, before it is read: a file of more than 2^31
// bytes, a disk, and a device that is no terminal; a stream as soon as it gives more than 2^29.
Result<std::string> read_file(const std::string& path);

// The bytes of a file, which begin at a multiple of 8, and what keeps them there.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// The whole of a file, as it is now: what becomes of it later changes nothing here. Refuses a plain
// file that is cut short while it is read. "-" is standard input.
Result<FileBytes> read_bytes(const std::string& path);

// `content`, copied to a multiple of 8.
FileBytes file_bytes(std::string_view content);

// The last part of a path; "-" for standard input.
std::string base_name(const std::string& path);

}  // namespace berth
