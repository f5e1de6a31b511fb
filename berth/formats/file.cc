#include "berth/formats/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "berth/formats/descriptor.h"
#include "berth/formats/mistaken_file.h"

namespace berth {
namespace {

constexpr const char* kStandardStream = "-";
// Neither kind of model can be larger; and what comes through a pipe is held while it grows.
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 31;
constexpr std::uint64_t kLargestStream = std::uint64_t{1} << 29;
constexpr std::size_t kLookedAt = 1024;  // of what may only stand for a file

std::string system_message(int code) {
  return std::strerror(code);
}

// What is refused before anything of it is read.
std::optional<Error> find_refusal(const struct stat& found, int descriptor,
                                  const std::string& name) {
  const auto refused = [&](std::string message, std::string hint) {
    return Error{Error::Kind::Input, name, std::move(message), std::move(hint)};
  };
  if (S_ISBLK(found.st_mode)) {
    return refused("is a disk, not a file", "give a file, or - for standard input");
  }
  const bool is_null = S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);
  if (S_ISCHR(found.st_mode) && !is_null && ::isatty(descriptor) == 0) {
    return refused("is a device that may never end, not a file",
                   "give a file, or - for standard input");
  }
  if (S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) > kLargestFile) {
    return refused(
        fmt::format("has {} bytes, but files of at most {} are read", found.st_size, kLargestFile),
        "give a smaller file");
  }
  return std::nullopt;
}

// Of a plain file as much as it has, of a stream as much as comes.
Result<std::string> read_descriptor(int descriptor, const std::string& name) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) {
    return input_error(name, "cannot read: " + system_message(errno));
  }
  if (auto refusal = find_refusal(found, descriptor, name)) {
    return tl::unexpected(*std::move(refusal));
  }
  const bool is_plain = S_ISREG(found.st_mode);
  const std::uint64_t most = is_plain ? kLargestFile : kLargestStream;
  std::string content;
  if (is_plain) content.reserve(static_cast<std::size_t>(found.st_size) + 1);
  std::vector<char> chunk(1 << 16);
  for (;;) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return input_error(name, "cannot read: " + system_message(errno));
    if (count == 0) break;
    if (content.size() + static_cast<std::size_t>(count) > most) {
      return input_error(
          name, fmt::format("gives more than {} bytes, which is the most that is read", most),
          is_plain ? "it grew while it was read: give a smaller file" : "give it as a file");
    }
    content.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return content;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == kStandardStream) return read_descriptor(STDIN_FILENO, "standard input");
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    return input_error(path.empty() ? "the empty name" : path,
                       "cannot open: " + system_message(errno),
                       "check the path and its permissions");
  }
  return read_descriptor(descriptor.get(), path);
}

FileBytes file_bytes(std::string_view content) {
  auto words = std::make_shared<std::vector<std::uint64_t>>((content.size() + 7) / 8);
  if (!content.empty()) std::memcpy(words->data(), content.data(), content.size());
  const auto bytes = std::as_bytes(std::span(*words)).first(content.size());
  return {bytes, std::move(words)};
}

// Not mapped: to look at a mapped file that somebody has shortened ends the program.
Result<FileBytes> read_bytes(const std::string& path) {
  const Descriptor descriptor(path == kStandardStream ? -1
                                                      : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  const bool is_plain = descriptor.get() >= 0 && ::fstat(descriptor.get(), &found) == 0 &&
                        S_ISREG(found.st_mode) && found.st_size > 0;
  if (!is_plain) return read_file(path).map(file_bytes);
  if (auto refusal = find_refusal(found, descriptor.get(), path)) {
    return tl::unexpected(*std::move(refusal));
  }
  const auto size = static_cast<std::size_t>(found.st_size);
  const auto words = std::make_shared_for_overwrite<std::uint64_t[]>((size + 7) / 8);
  const auto bytes = std::as_writable_bytes(std::span(words.get(), (size + 7) / 8)).first(size);
  for (std::size_t read = 0; read < size;) {
    const ssize_t count = ::read(descriptor.get(), &bytes[read], size - read);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return input_error(path, "cannot read: " + system_message(errno));
    if (count == 0) {
      return input_error(
          path,
          fmt::format("was cut short while it was read: it had {} bytes, and has {}", size, read),
          "read it once whoever writes it has finished");
    }
    read += static_cast<std::size_t>(count);
  }
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                               std::min(size, kLookedAt));
  if (auto mistaken = find_mistaken_file(path, start)) {
    return tl::unexpected(*std::move(mistaken));
  }
  return FileBytes{bytes, words};
}

std::string base_name(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace berth
