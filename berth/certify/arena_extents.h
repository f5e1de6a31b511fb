#pragma once

#include <algorithm>

#include "berth/certify/arena_judge.h"

namespace berth {

inline constexpr std::uint64_t kFollowedIterations = 64;

// How many bytes rule E looks at: the address itself is one, whatever the launch does there.
inline std::uint64_t reach_of(const Extent& extent) {
  return std::max({std::uint64_t{1}, extent.reads, extent.writes});
}

// What extents add to the certificate, as docs/certificate.md states it:
//
//   E  every value of a word that has one, and the bytes that the launch reads and writes from
//   there
//      on, lie in one plane of its phase or in one global, in a window or not
//   F  a launch reads a byte of a fresh plane only where one before it in its instance wrote it
//
// so that neither is trusted. The verdict of the smallest code, of these rules and of those that
// `verdict` is the answer to; that one without extents. Apart from the core.
//
// A repeat of so many iterations at most is followed through them where its extents move. Beyond, a
// read counts for all addresses from its least to its largest, and finds what words that stand
// still have written, or what moves along with it and was written before it in the same iteration:
// that refuses more, never less. O(executed accesses x (log ranges + fresh planes that each
// meets)), what repeats counted so many times at most.
Verdict judge_extents(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                      const Verdict& verdict);

}  // namespace berth
