#include "berth/certify/arena_exact.h"

#include <algorithm>

#include "berth/certify/arena_arithmetic.h"
#include "berth/certify/progression.h"

namespace berth {
namespace {

constexpr AddressRange kEverywhere[] = {{0, kAddressEnd}};

// Which addresses a rule lets be unnamed, and how much from an address on it looks at.
struct Asked {
  Stretches where;           // elsewhere, every address may be given
  std::uint64_t length = 1;  // that lie in one range; 1 unless `where` is everywhere
};

// The first hole with an address at `from` or later, from there on: a stretch of addresses that may
// not be given. Another hole may touch it. O(log n) a range passed over.
std::optional<AddressRange> next_hole(const ArenaRanges& ranges, PhaseId phase, WideAddress from,
                                      const Asked& asked) {
  const WideAddress more = asked.length - 1;  // bytes behind the first
  while (const AddressRange* window = first_from(asked.where, from)) {
    AddressRange hole = {std::max(from, window->lower), window->upper};
    for (const Stretches named : {ranges.globals(), ranges.planes(phase)}) {
      const AddressRange* range = first_from(named, hole.lower + more);
      if (range == nullptr) continue;
      if (range->lower <= hole.lower) from = range->upper - more;  // and the hole is empty
      hole.upper = std::min(hole.upper, std::max(range->lower, hole.lower));
    }
    if (!hole.empty()) return hole;
  }
  return std::nullopt;
}

// The first iteration at which a stepping word is in the hole.
std::optional<std::uint64_t> first_in(const WordMotion& motion, AddressRange hole) {
  if (hole.contains(motion.base)) return 0;
  const WideAddress steps = motion.iterations - 1;
  const bool rises =
      motion.step > 0 && motion.step < (WordMotion::Step(1) << 64) && hole.lower > motion.base;
  if (rises && motion.base + static_cast<WideAddress>(motion.step) * steps < kAddressEnd) {
    const auto step = static_cast<std::uint64_t>(motion.step);
    const auto first = static_cast<std::uint64_t>(hole.lower);
    const auto last = static_cast<std::uint64_t>(hole.upper - 1);
    if (!rises_into(motion.base, step, motion.iterations, first, last)) return std::nullopt;
    return steps_to(first - motion.base, step);
  }
  // Counted from the base, which is outside, the hole does not wrap.
  const WideAddress ahead = (hole.lower + kAddressEnd - motion.base) % kAddressEnd;
  const auto t = first_hit(static_cast<std::uint64_t>(motion.step), kAddressEnd,
                           {ahead, ahead + (hole.upper - hole.lower)});
  return t && *t < motion.iterations ? t : std::nullopt;
}

std::optional<std::uint64_t> first_stray_step(const ArenaRanges& ranges, PhaseId phase,
                                              const WordMotion& motion, const Asked& asked) {
  std::optional<std::uint64_t> first;
  for (const AddressRange& arc : hull(motion)) {
    auto hole = next_hole(ranges, phase, arc.lower, asked);
    for (; hole && hole->overlaps(arc); hole = next_hole(ranges, phase, hole->upper, asked)) {
      const auto t = first_in(motion, *hole);
      if (t) first = std::min(*t, first.value_or(*t));
    }
  }
  return first;
}

// The first of the values that is not such as `allowed(AddressRange)` allows.
template <typename Allowed>
std::optional<std::uint64_t> first_stray_value(std::span<const std::uint64_t> values,
                                               const Allowed& allowed) {
  const auto stray = std::ranges::find_if_not(
      values, [&](std::uint64_t value) { return allowed(at_one_address(value)); });
  if (stray == values.end()) return std::nullopt;
  return static_cast<std::uint64_t>(stray - values.begin());
}

}  // namespace

bool name_bytes(const ArenaRanges& ranges, PhaseId phase, AddressRange words,
                std::uint64_t length) {
  words.upper += length - 1;
  const auto holds = [&](Stretches named) {
    const AddressRange* range = first_from(named, words.lower);
    return range != nullptr && range->covers(words);
  };
  return holds(ranges.planes(phase)) || holds(ranges.globals());
}

std::optional<std::uint64_t> first_stray(const ArenaRanges& ranges, PhaseId phase,
                                         const WordMotion& motion) {
  if (motion.values.empty()) {
    return first_stray_step(ranges, phase, motion, {.where = ranges.windows()});
  }
  return first_stray_value(motion.values,
                           [&](AddressRange word) { return ranges.allow(phase, word); });
}

std::optional<std::uint64_t> first_stray_access(const ArenaRanges& ranges, PhaseId phase,
                                                const WordMotion& motion, std::uint64_t length) {
  if (motion.values.empty()) {
    return first_stray_step(ranges, phase, motion, {.where = kEverywhere, .length = length});
  }
  return first_stray_value(
      motion.values, [&](AddressRange word) { return name_bytes(ranges, phase, word, length); });
}

bool is_ever_in(Stretches windows, const WordMotion& motion) {
  const auto is_in = [&](std::uint64_t value) {
    const AddressRange* window = first_from(windows, value);
    return window != nullptr && window->contains(value);
  };
  if (!motion.values.empty()) return std::ranges::any_of(motion.values, is_in);
  if (is_in(motion.base)) return true;
  for (const AddressRange& arc : hull(motion)) {
    const AddressRange* window = first_from(windows, arc.lower);
    for (; window != nullptr && window->overlaps(arc);
         window = first_from(windows, window->upper)) {
      if (first_in(motion, *window)) return true;
    }
  }
  return false;
}

bool no_value_strays(const ArenaRanges& ranges, PhaseId phase, const WordMotion& motion) {
  return !first_stray(ranges, phase, motion);
}

}  // namespace berth
