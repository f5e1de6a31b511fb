#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "berth/certify/arena_ranges.h"
#include "berth/ir/launches.h"

namespace berth {

// How one word of a launch moves over the iterations of its repeat. A word outside repeats has one
// iteration.
struct WordMotion {
  __extension__ using Step = __int128;  // a sum of at most 2^32 steps of 64 bits

  std::uint64_t base = 0;
  std::uint64_t iterations = 1;
  std::uint32_t deltas = 0;
  Step step = 0;                          // what the deltas add up to
  std::span<const std::uint64_t> values;  // of its frame; none without one

  // At iteration t, as a device computes it.
  std::uint64_t at(std::uint64_t t) const {
    return values.empty() ? base + t * static_cast<std::uint64_t>(step) : values[t];
  }
};

// Of a word of a launch. O(log moves).
WordMotion motion_of(const LaunchSchedule& schedule, LaunchId launch, std::uint32_t word);

// Intervals that together cover every value: one, or two where the travel wraps past 2^64 (the
// second is empty otherwise), or all addresses where it comes round.
std::array<AddressRange, 2> hull(const WordMotion& motion);

// Whether all intervals that stand for a word are such as `allowed(AddressRange)` allows: one an
// iteration while they are few and one delta names the word, otherwise the hull.
template <typename Allowed>
bool each_interval(const WordMotion& motion, const Allowed& allowed) {
  constexpr std::uint64_t kFew = 64;
  const bool is_still = motion.deltas == 0 && motion.values.empty();
  if (!is_still && (motion.deltas != 1 || motion.iterations > kFew)) {
    const auto [first, second] = hull(motion);
    return allowed(first) && (second.empty() || allowed(second));
  }
  const std::uint64_t count = is_still ? 1 : motion.iterations;
  for (std::uint64_t t = 0; t < count; ++t) {
    if (!allowed(at_one_address(motion.at(t)))) return false;
  }
  return true;
}

}  // namespace berth
