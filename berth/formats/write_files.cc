#include "berth/formats/write_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>

#include "berth/formats/destination.h"
#include "berth/formats/staged_file.h"

// What can go wrong, and what is then true:
//
//   while files are staged           nothing was changed
//   while they take their places     those that have give theirs back: nothing was changed
//   on a file system without swaps   what was there is gone, and the message says of which
//   in a file written in place       the others give back, the message says that this one is
//   damaged

namespace berth {
namespace {

using Kind = Destination::Kind;

std::string system_message(int code) {
  return std::strerror(code);
}

// All signals but those that a fault raises wait while this stands.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t waiting;
    sigfillset(&waiting);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
      sigdelset(&waiting, fault);
    }
    pthread_sigmask(SIG_BLOCK, &waiting, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() {
    // A write past the limit on file sizes has failed already; its signal would end the process.
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    const timespec at_once{};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&limit, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

struct Item {
  const FileContent& file;
  Destination place;
  std::optional<StagedFile> staged{};
};

std::string hint_of(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "make room for it, or write it elsewhere";
    case EFBIG:
      return "a limit on the size of files is in the way (ulimit -f)";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ELOOP:
      return "its links lead in a circle: name the file itself";
    case EISDIR:
      return "name a file in that folder";
    default:
      return "check the folder, its permissions and its room";
  }
}

tl::unexpected<Error> failed(const Item& item, int code, const std::string& what_is_true) {
  if (item.file.path == "-") {
    return input_error("standard output", "cannot write: " + system_message(code),
                       what_is_true + hint_of(code));
  }
  const bool is_linked = item.place.path != item.file.path;
  const std::string leads = is_linked ? ", which leads to " + item.place.path : "";
  return input_error(item.file.path + leads, "cannot write: " + system_message(code),
                     what_is_true + hint_of(code));
}

constexpr const char* kNothingChanged = "nothing was changed: ";

// What is true once the others have given their places back.
std::string undone(std::vector<Item>& items) {
  std::string lost;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    if (!item->staged || item->staged->give_back()) continue;
    lost += (lost.empty() ? "" : ", ") + item->place.path;
  }
  if (lost.empty()) return kNothingChanged;
  return fmt::format("already replaced, and not to be brought back: {}; ", lost);
}

Result<void> stage(std::vector<Item>& items) {
  for (Item& item : items) {
    if (item.place.failure) return failed(item, *item.place.failure, kNothingChanged);
    if (item.place.kind != Kind::Plain) continue;
    item.staged.emplace(item.place, item.file.content);
    if (const auto code = item.staged->failure()) {
      return failed(item, *code, kNothingChanged);
    }
  }
  return {};
}

Result<void> take_places(std::vector<Item>& items) {
  for (Item& item : items) {
    if (!item.staged) continue;
    const auto code = item.staged->take_place();
    if (!code) continue;
    if (*code != EBUSY) return failed(item, *code, undone(items));
    item.place.kind = Kind::Mounted;
    item.staged.reset();
  }
  return {};
}

std::optional<int> write_over(const std::string& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return errno;
  if (const auto code = write_all(file.get(), content)) return code;
  if (::ftruncate(file.get(), static_cast<off_t>(content.size())) != 0) return errno;
  if (const auto code = sync_to_disk(file.get())) return code;
  return file.close() ? std::nullopt : std::optional(errno);
}

Result<void> write_mounted(std::vector<Item>& items, std::vector<std::string>& notes) {
  for (Item& item : items) {
    if (item.place.kind != Kind::Mounted) continue;
    if (::access(item.place.path.c_str(), W_OK) != 0) {
      return failed(item, errno, undone(items));
    }
    if (const auto code = write_over(item.place.path, item.file.content)) {
      return failed(item, *code,
                    "it is a mount, so it was written in place and is damaged now; of the others " +
                        undone(items));
    }
    notes.push_back(
        fmt::format("{} is a mount of its own, which nothing can replace: it was "
                    "written in place",
                    item.file.path));
  }
  return {};
}

Result<void> replace_files(std::vector<Item>& items, std::vector<std::string>& notes) {
  const SignalsWait signals_wait;
  if (auto staged = stage(items); !staged) return staged;
  if (auto taken = take_places(items); !taken) return taken;
  if (auto written = write_mounted(items, notes); !written) return written;
  for (Item& item : items) {
    if (!item.staged) continue;
    if (const auto code = item.staged->settle()) {
      return input_error(
          item.file.path,
          "was written, but its folder did not reach the disk: " + system_message(*code),
          "check the disk, and write it again");
    }
  }
  items.clear();  // and what was there before, while signals still wait
  return {};
}

std::optional<int> write_stream(const FileContent& file, const Destination& place) {
  if (place.kind == Kind::Descriptor) return write_all(place.descriptor, file.content);
  const Descriptor opened(::open(place.path.c_str(), O_WRONLY | O_CLOEXEC));
  return opened.is_open() ? write_all(opened.get(), file.content) : std::optional(errno);
}

Result<void> write_streams(std::span<const FileContent> files,
                           std::span<const Destination> places) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (places[i].kind != Kind::Descriptor && places[i].kind != Kind::Stream) continue;
    if (const auto code = write_stream(files[i], places[i])) {
      const bool is_dash = files[i].path == "-";
      return input_error(is_dash ? "standard output" : files[i].path,
                         "cannot write: " + system_message(*code), hint_of(*code));
    }
  }
  return {};
}

}  // namespace

Result<WrittenFiles> write_files(std::span<const FileContent> files) {
  std::vector<Destination> places;
  std::vector<Item> items;
  items.reserve(files.size());
  for (const FileContent& file : files) {
    places.push_back(destination_of(file.path));
    items.push_back({file, places.back()});
  }
  WrittenFiles written;
  if (auto replaced = replace_files(items, written.notes); !replaced) {
    return tl::unexpected(std::move(replaced).error());
  }
  // Signals no longer wait: a pipe without a reader may never open.
  if (auto streamed = write_streams(files, places); !streamed) {
    return tl::unexpected(std::move(streamed).error());
  }
  return written;
}

bool is_standard_output(const std::string& path) {
  const Destination place = destination_of(path);
  return place.kind == Kind::Descriptor && place.descriptor == STDOUT_FILENO;
}

bool is_stream(const std::string& path) {
  const Kind kind = destination_of(path).kind;
  return kind == Kind::Descriptor || kind == Kind::Stream;
}

std::optional<Error> find_file_named_twice(std::span<const std::string> paths) {
  std::map<std::string, std::string> named;
  for (const std::string& path : paths) {
    const Destination place = destination_of(path);
    std::error_code unknown;
    const auto folder = std::filesystem::canonical(place.folder(), unknown);
    std::string key = unknown ? place.path : (folder / place.name()).string();
    if (place.kind == Kind::Descriptor) key = fmt::format("descriptor {}", place.descriptor);
    const auto [first, is_first] = named.emplace(std::move(key), path);
    if (is_first) continue;
    const bool is_same_word = first->second == path;
    return Error{Error::Kind::Usage, "-o " + path,
                 is_same_word ? "is asked for twice"
                              : fmt::format("is the same file as -o {}", first->second),
                 "name each file once"};
  }
  return std::nullopt;
}

}  // namespace berth
