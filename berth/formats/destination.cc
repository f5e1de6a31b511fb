#include "berth/formats/destination.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <string_view>

namespace berth {
namespace {

constexpr int kMostLinks = 40;  // as many as the system follows

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// What is written to one of these goes to a descriptor as it is: opened anew, a file that stands
// behind it would be written from its beginning, or replaced under the feet of who opened it.
std::optional<int> open_descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int descriptor = -1;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    const bool is_all = read.ptr == number.data() + number.size();
    if (read.ec == std::errc() && is_all && descriptor >= 0) return descriptor;
  }
  return std::nullopt;
}

// The path that a link names; nothing where `path` is no link.
std::optional<std::string> followed(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return std::nullopt;
  const std::string found(target.data(), static_cast<std::size_t>(size));
  return found.starts_with('/') ? found : folder_of(path) + "/" + found;
}

bool is_mounted(const std::string& path) {
  struct statx found {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &found) != 0) return false;
  return (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

std::string Destination::folder() const {
  return folder_of(path);
}

std::string Destination::name() const {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Destination destination_of(const std::string& path) {
  using Kind = Destination::Kind;
  std::string at = path;
  for (int links = 0;; ++links) {
    if (const auto descriptor = open_descriptor_of(at)) {
      const bool is_open = ::fcntl(*descriptor, F_GETFD) >= 0;
      return {Kind::Descriptor, *descriptor, at, is_open ? std::nullopt : std::optional(EBADF)};
    }
    // What the links of /proc name is no path.
    auto next = at.starts_with("/proc/") ? std::nullopt : followed(at);
    if (!next) break;
    if (links == kMostLinks) return {Kind::Plain, -1, at, ELOOP};
    at = *std::move(next);
  }
  Destination found = {Kind::Plain, -1, at, std::nullopt};
  struct stat existing {};
  if (::stat(at.c_str(), &existing) != 0) {
    if (errno != ENOENT) found.failure = errno;
    // A name that ends in a slash is one of a folder.
    if (found.name().empty()) found.failure = EISDIR;
    return found;
  }
  if (S_ISDIR(existing.st_mode)) {
    found.failure = EISDIR;
  } else if (!S_ISREG(existing.st_mode)) {
    found.kind = Kind::Stream;
  } else if (is_mounted(at)) {
    found.kind = Kind::Mounted;
  }
  return found;
}

}  // namespace berth
