#include "berth/certify/arena_words.h"

#include <algorithm>

#include "berth/certify/arena_arithmetic.h"

namespace berth {
namespace {

template <typename Moved>
std::span<const Moved> of_launch(const std::vector<Moved>& moved, std::uint32_t launch) {
  const auto range = std::ranges::equal_range(moved, launch, {}, &Moved::launch);
  return {range.begin(), range.end()};
}

}  // namespace

WordMotions::WordMotions(const LaunchSchedule& schedule, LaunchId launch)
    : words_(schedule.words(launch)) {
  const Repeat* repeat = schedule.repeat_of(launch);
  if (repeat == nullptr) return;
  const auto position = static_cast<std::uint32_t>(launch.index()) - repeat->first;
  iterations_ = repeat->iterations;
  deltas_ = of_launch(repeat->deltas, position);
  frames_ = of_launch(repeat->frames, position);
}

WordMotion WordMotions::next() {
  WordMotion motion{.base = words_[word_], .iterations = iterations_};
  for (; !deltas_.empty() && deltas_.front().word == word_; deltas_ = deltas_.subspan(1)) {
    motion.step += deltas_.front().step;
    ++motion.deltas;
  }
  if (!frames_.empty() && frames_.front().word == word_) {
    motion.values = frames_.front().values;
    frames_ = frames_.subspan(1);
  }
  ++word_;
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

  const auto travel = static_cast<std::uint64_t>(steps > 0 ? step * steps : 0);
  const bool falls = motion.step < 0;
  const std::uint64_t first = falls ? last_below(motion.base, travel) : motion.base;
  const std::uint64_t last = falls ? motion.base : last_above(motion.base, travel);
  if (first <= last) return {AddressRange{first, WideAddress(last) + 1}};
  return {AddressRange{first, kAddressEnd}, AddressRange{0, WideAddress(last) + 1}};
}

}  // namespace berth
