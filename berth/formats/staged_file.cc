#include "berth/formats/staged_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace berth {
namespace {

constexpr mode_t kModeOfNew = 0666;  // less what the mask takes away
constexpr unsigned kMostNames = 10'000;

bool is_not_known_here(int code) {
  return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP;
}

}  // namespace

std::optional<int> write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return std::nullopt;
}

std::optional<int> sync_to_disk(int descriptor) {
  if (::fsync(descriptor) == 0 || is_not_known_here(errno) || errno == EROFS) return std::nullopt;
  return errno;
}

StagedFile::StagedFile(const Destination& place, std::string_view content)
    : folder_(::open(place.folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      name_(place.name()) {
  failure_ = folder_.is_open() ? write(content) : std::optional(errno);
}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      name_(std::move(other.name_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      taken_(other.taken_),
      failure_(other.failure_) {}

StagedFile::~StagedFile() {
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

// A short name of its own: one made of the file's name might be too long for the folder.
std::optional<int> StagedFile::write(std::string_view content) {
  struct stat existing {};
  const bool exists = ::fstatat(folder_.get(), name_.c_str(), &existing, 0) == 0;
  const mode_t mode = exists ? existing.st_mode & 07777 : kModeOfNew;
  Descriptor file;
  for (unsigned i = 0; i < kMostNames && !file.is_open(); ++i) {
    temporary_ = fmt::format(".berth-{}-{}", ::getpid(), i);
    file = Descriptor(::openat(folder_.get(), temporary_.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777));
    if (!file.is_open() && errno != EEXIST) break;
  }
  if (!file.is_open()) {
    temporary_.clear();
    return errno;
  }
  if (exists) ::fchmod(file.get(), mode);
  if (const auto code = write_all(file.get(), content)) return code;
  if (const auto code = sync_to_disk(file.get())) return code;
  return file.close() ? std::nullopt : std::optional(errno);
}

std::optional<int> StagedFile::take_place() {
  const auto moved = [&](unsigned flags) {
    return ::renameat2(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str(), flags) == 0;
  };
  if (moved(RENAME_EXCHANGE)) {
    taken_ = Taken::Swapped;
    return std::nullopt;
  }
  const bool is_new = errno == ENOENT;
  if (!is_new && !is_not_known_here(errno)) return errno;
  // Some file systems swap nothing: then what was there is gone.
  struct stat existing {};
  const bool replaces =
      !is_new && ::fstatat(folder_.get(), name_.c_str(), &existing, AT_SYMLINK_NOFOLLOW) == 0;
  if (::renameat(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str()) != 0) {
    return errno;
  }
  temporary_.clear();
  taken_ = replaces ? Taken::Replaced : Taken::New;
  return std::nullopt;
}

bool StagedFile::give_back() {
  switch (std::exchange(taken_, Taken::No)) {
    case Taken::No:
      return true;
    case Taken::New:
      return ::unlinkat(folder_.get(), name_.c_str(), 0) == 0;
    case Taken::Swapped:
      return ::renameat2(folder_.get(), temporary_.c_str(), folder_.get(), name_.c_str(),
                         RENAME_EXCHANGE) == 0;
    case Taken::Replaced:
      return false;
  }
  return false;
}

// A folder that may be written and not read cannot be waited for.
std::optional<int> StagedFile::settle() {
  if (taken_ == Taken::No) return std::nullopt;
  const Descriptor folder(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.is_open() ? sync_to_disk(folder.get()) : std::nullopt;
}

}  // namespace berth
