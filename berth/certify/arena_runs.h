#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "berth/ir/launches.h"

namespace berth {

// Walks the instances of an execution: its maximal runs of launches of one phase, across launches,
// repeats and submissions. What repeats is walked twice at most, since its third pass finds and
// leaves what the second did (docs/certificate.md, the two-pass lemma); the instances of the passes
// left out are counted.
//
// `Visitor` has
//   bool begin(std::uint64_t instance, LaunchId first);          false stops the walk
//   void repeat(std::uint64_t from, std::uint64_t instances);    those begun since `from` begin
//                                                                again, last `instances` later
template <typename Visitor>
class InstanceWalk {
 public:
  InstanceWalk(const LaunchSchedule& schedule, Visitor& visitor)
      : schedule_(schedule), visitor_(visitor) {}

  // To the end, or until the visitor stops it. Call once.
  void run() {
    const auto submissions = schedule_.submissions();
    for (std::size_t i = 0; i < submissions.size();) {
      std::size_t end = i;
      while (end < submissions.size() && submissions[end] == submissions[i]) ++end;
      if (!times(end - i, [&] { return submission(submissions[i]); })) return;
      i = end;
    }
  }

  // How many instances have begun.
  std::uint64_t instances() const { return instances_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  template <typename Pass>
  bool times(std::uint64_t count, const Pass& pass) {
    if (!pass()) return false;
    if (count == 1) return true;
    const std::uint64_t from = instances_;
    if (!pass()) return false;
    const std::uint64_t more = (count - 2) * (instances_ - from);
    visitor_.repeat(from, more);
    instances_ += more;
    return true;
  }

  bool submission(const Submission& range) {
    const auto repeats = schedule_.repeats();
    const std::uint64_t end = range.first + range.count;
    std::uint64_t at = range.first;
    auto repeat = std::ranges::lower_bound(repeats, at, {}, &Repeat::first);
    for (; repeat != repeats.end() && repeat->first < end; ++repeat) {
      if (!launches(at, repeat->first)) return false;
      if (!times(repeat->iterations, [&] { return launches(repeat->first, repeat->end()); })) {
        return false;
      }
      at = repeat->end();
    }
    return launches(at, end);
  }

  bool launches(std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t at = first; at < end; ++at) {
      const LaunchId launch(at);
      if (schedule_.phase_of(launch) == phase_) continue;
      phase_ = schedule_.phase_of(launch);
      if (!visitor_.begin(instances_++, launch)) return false;
    }
    return true;
  }

  const LaunchSchedule& schedule_;
  Visitor& visitor_;
  std::uint32_t phase_ = kNone;  // of the instance that runs
  std::uint64_t instances_ = 0;
};

}  // namespace berth
