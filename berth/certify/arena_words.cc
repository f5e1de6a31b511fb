#include "berth/certify/arena_words.h"

#include <algorithm>
#include <utility>

#include "berth/certify/arena_arithmetic.h"

namespace berth {
namespace {

// Those that move one word of a repeat's body.
template <typename Moved>
auto moves_of(const std::vector<Moved>& moves, std::uint32_t launch, std::uint32_t word) {
  return std::ranges::equal_range(moves, std::pair(launch, word), {}, [](const Moved& move) {
    return std::pair(move.launch, move.word);
  });
}

}  // namespace

WordMotion motion_of(const LaunchSchedule& schedule, LaunchId launch, std::uint32_t word) {
  WordMotion motion{.base = schedule.words(launch)[word]};
  const Repeat* repeat = schedule.repeat_of(launch);
  if (repeat == nullptr) return motion;
  motion.iterations = repeat->iterations;
  const auto position = static_cast<std::uint32_t>(launch.index()) - repeat->first;
  for (const Delta& delta : moves_of(repeat->deltas, position, word)) {
    motion.step += delta.step;
    ++motion.deltas;
  }
  for (const Frame& frame : moves_of(repeat->frames, position, word)) motion.values = frame.values;
  return motion;
}

std::array<AddressRange, 2> hull(const WordMotion& motion) {
  if (!motion.values.empty()) {
    const auto [least, most] = std::ranges::minmax(motion.values);
    return {AddressRange{least, WideAddress(most) + 1}};
  }
  const auto step = static_cast<WideAddress>(motion.step < 0 ? -motion.step : motion.step);
  const WideAddress steps = motion.iterations - 1;
  // Checked apart first, the product of the two does not wrap.
  const bool comes_round = steps > 0 && (step >= kAddressEnd || step * steps >= kAddressEnd);
  if (comes_round) return {AddressRange{0, kAddressEnd}};

  const auto travel = static_cast<std::uint64_t>(step * steps);
  const bool falls = motion.step < 0;
  const std::uint64_t first = falls ? last_below(motion.base, travel) : motion.base;
  const std::uint64_t last = falls ? motion.base : last_above(motion.base, travel);
  if (first <= last) return {AddressRange{first, WideAddress(last) + 1}};
  return {AddressRange{first, kAddressEnd}, AddressRange{0, WideAddress(last) + 1}};
}

}  // namespace berth
