#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/formats/descriptor.h"
#include "berth/formats/destination.h"

namespace berth {

// A file on its way to its place: written beside it under a temporary name, and swapped with what
// stands there. Until it is settled it can be swapped back; whatever is under the temporary name in
// the end is removed. Failures are codes of the system.
class StagedFile {
 public:
  // Writes `content` beside `place` and waits until the disk has it.
  StagedFile(const Destination& place, std::string_view content);
  StagedFile(StagedFile&& other) noexcept;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  std::optional<int> failure() const { return failure_; }

  // Puts it in its place. EBUSY: that is a mount, which nothing can replace.
  std::optional<int> take_place();
  // Gives the place back to what was there. False: it could not.
  bool give_back();
  // Waits until the disk knows the folder's new names.
  std::optional<int> settle();

 private:
  enum class Taken { No, New, Swapped, Replaced };

  std::optional<int> write(std::string_view content);

  Descriptor folder_;
  std::string name_;
  std::string temporary_;  // in the folder; empty: there is none
  Taken taken_ = Taken::No;
  std::optional<int> failure_;
};

// Nothing, or the code of the failure.
std::optional<int> write_all(int descriptor, std::string_view content);

// Waits until the disk has what was written. What cannot be waited for (a pipe) is no failure.
std::optional<int> sync_to_disk(int descriptor);

}  // namespace berth
