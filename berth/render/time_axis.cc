#include "berth/render/time_axis.h"

#include <algorithm>
#include <iterator>

namespace berth {
namespace {

// A clock is drawn step by step while it is short, or while most of its steps are cuts.
constexpr std::uint64_t kShortClock = 64;
constexpr std::uint64_t kStepsAColumn = 4;

std::vector<Step> cuts_of(std::span<const Occupancy> arenas) {
  std::vector<Step> cuts;
  for (const Occupancy& arena : arenas) {
    for (const Tile& tile : arena.tiles) {
      cuts.push_back(tile.steps.lower);
      cuts.push_back(tile.steps.upper);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

}  // namespace

Length scaled(std::uint64_t value, std::uint64_t total, Length length) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<Length>(Wide(value) * static_cast<std::uint64_t>(length) / total);
}

TimeAxis::TimeAxis(std::span<const Occupancy> arenas) : cuts_(cuts_of(arenas)) {
  const LiveRange drawn = steps();
  const std::uint64_t span = drawn.upper - drawn.lower;
  merged_ = span > kShortClock && span / kStepsAColumn > cuts_.size();
}

LiveRange TimeAxis::steps() const {
  return cuts_.empty() ? LiveRange{} : LiveRange{cuts_.front(), cuts_.back()};
}

Length TimeAxis::position(Step step, Length width) const {
  const LiveRange drawn = steps();
  if (drawn.empty()) return 0;
  const Step inside = std::clamp(step, drawn.lower, drawn.upper);
  if (!merged_) return scaled(inside - drawn.lower, drawn.upper - drawn.lower, width);
  const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), inside);
  const auto index = static_cast<std::uint64_t>(std::distance(cuts_.begin(), after)) - 1;
  return scaled(index, cuts_.size() - 1, width);
}

LiveRange TimeAxis::column(Step step) const {
  const LiveRange drawn = steps();
  if (!drawn.contains(step)) return {};
  if (!merged_) return {step, step + 1};
  const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), step);
  return {*std::prev(after), *after};
}

}  // namespace berth
