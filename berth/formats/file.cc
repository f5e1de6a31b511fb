#include "berth/formats/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace berth {
namespace {

constexpr const char* kStandardStream = "-";

std::string system_message(int code) {
  return std::strerror(code);
}

// An open file descriptor, closed on the way out.
class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return descriptor_; }
  bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

// SIGINT, SIGTERM and SIGHUP wait while this stands.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&waiting, signal);
    sigprocmask(SIG_BLOCK, &waiting, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Nothing, or the code of the failure.
std::optional<int> write_all(int descriptor, const std::string& content) {
  const char* at = content.data();
  std::size_t left = content.size();
  while (left > 0) {
    const ssize_t written = ::write(descriptor, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  return std::nullopt;
}

Error write_error(const std::string& path, int code) {
  return {Error::Kind::Input, path, "cannot write: " + system_message(code),
          "nothing was changed: check the folder, its permissions and its room"};
}

bool is_directory(const std::string& path) {
  struct stat existing {};
  return ::stat(path.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode);
}

// The file that a symbolic link leads to is the one that is replaced, not the link.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_symlink(path, failed)) return path;
  const auto target = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : target.string();
}

// A file written under a temporary name; removed unless it was renamed to its own.
class StagedFile {
 public:
  explicit StagedFile(const FileContent& file) : path_(behind_links(file.path)) {
    // Found now: the rename would fail only after others had been made.
    if (is_directory(path_)) {
      failure_ = EISDIR;
      return;
    }
    temporary_ = path_ + ".XXXXXX";
    Descriptor descriptor(::mkstemp(temporary_.data()));
    if (descriptor.get() < 0) {
      failure_ = errno;
      temporary_.clear();
      return;
    }
    ::fchmod(descriptor.get(), mode());
    failure_ = write_all(descriptor.get(), file.content);
    if (!failure_ && !descriptor.close()) failure_ = errno;
  }
  StagedFile(StagedFile&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, std::string())),
        failure_(other.failure_) {}
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  const std::string& path() const { return path_; }
  std::optional<int> failure() const { return failure_; }

  std::optional<int> commit() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return errno;
    temporary_.clear();
    return std::nullopt;
  }

 private:
  // What an ordinary new file would get, or what the file it replaces has.
  mode_t mode() const {
    struct stat existing {};
    if (::stat(path_.c_str(), &existing) == 0) return existing.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
  }

  std::string path_;
  std::string temporary_;
  std::optional<int> failure_;
};

Result<std::string> read_descriptor(int descriptor, const std::string& name) {
  std::string content;
  std::array<char, 1 << 16> chunk{};
  for (;;) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return input_error(name, "cannot read: " + system_message(errno));
    if (count == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

// A place that is not a plain file (a pipe, /dev/stdout) is written to as it stands.
bool is_special(const std::string& path) {
  struct stat existing {};
  return ::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode) &&
         !S_ISDIR(existing.st_mode);
}

Result<void> write_through(const FileContent& file) {
  const auto failed = [](const std::string& place, int code) {
    return input_error(place, "cannot write: " + system_message(code),
                       "make room for it, or write it elsewhere");
  };
  if (file.path == kStandardStream) {
    const auto code = write_all(STDOUT_FILENO, file.content);
    if (code) return failed("standard output", *code);
    return {};
  }
  const Descriptor descriptor(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (descriptor.get() < 0) return failed(file.path, errno);
  if (const auto code = write_all(descriptor.get(), file.content)) return failed(file.path, *code);
  return {};
}

bool is_written_through(const std::string& path) {
  return path == kStandardStream || is_special(path);
}

Result<void> replace_files(std::span<const FileContent> files) {
  const SignalsWait signals_wait;
  std::vector<StagedFile> staged;
  staged.reserve(files.size());
  for (const FileContent& file : files) {
    if (is_written_through(file.path)) continue;
    staged.emplace_back(file);
    if (const auto code = staged.back().failure()) {
      return tl::unexpected(write_error(file.path, *code));
    }
  }
  for (StagedFile& file : staged) {
    if (const auto code = file.commit()) return tl::unexpected(write_error(file.path(), *code));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  if (path == kStandardStream) return read_descriptor(STDIN_FILENO, "standard input");
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) {
    return input_error(path, "cannot open: " + system_message(errno),
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
  return FileBytes{bytes, words};
}

std::string base_name(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Result<void> write_files(std::span<const FileContent> files) {
  if (auto replaced = replace_files(files); !replaced) return replaced;
  // Signals no longer wait: a pipe without a reader may never open.
  for (const FileContent& file : files) {
    if (!is_written_through(file.path)) continue;
    if (auto written = write_through(file); !written) return written;
  }
  return {};
}

}  // namespace berth
