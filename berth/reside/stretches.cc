#include "berth/reside/stretches.h"

#include <algorithm>
#include <numeric>

namespace berth {

std::vector<TensorUse> cut_uses(const std::vector<TensorUse>& uses) {
  if (uses.size() <= kMostCuts + 1) return uses;
  const auto gap = [&](std::size_t i) { return uses[i + 1].phases.lower - uses[i].phases.upper; };
  std::vector<std::size_t> gaps(uses.size() - 1);  // by the use before
  std::iota(gaps.begin(), gaps.end(), std::size_t{0});
  std::ranges::stable_sort(gaps, std::ranges::greater(), gap);
  gaps.resize(kMostCuts);
  std::vector<bool> is_cut(uses.size(), false);
  for (const std::size_t i : gaps) is_cut[i] = true;
  std::vector<TensorUse> result;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (i == 0 || is_cut[i - 1]) {
      result.push_back(uses[i]);
      continue;
    }
    result.back().phases.upper = uses[i].phases.upper;
    result.back().moved += uses[i].moved;
    result.back().writes = result.back().writes || uses[i].writes;
  }
  return result;
}

std::vector<Stretch> stretches_of(const std::vector<TensorUse>& uses, Bytes bytes) {
  std::vector<Stretch> stretches;
  for (std::size_t first = 0; first < uses.size(); ++first) {
    Bytes moved;
    bool writes = false;
    for (std::size_t last = first; last < uses.size(); ++last) {
      moved += uses[last].moved;
      writes = writes || uses[last].writes;
      const bool ends_early = last + 1 < uses.size();
      const bool is_fetched = first > 0 && !uses[first].overwrites;
      const bool is_needed = ends_early && !uses[last + 1].overwrites;
      const auto fetched = is_fetched ? bytes : Bytes(0);
      const auto written_back = is_needed && writes ? bytes : Bytes(0);
      const auto cost = checked_add(fetched, written_back);
      const bool is_whole = first == 0 && !ends_early;
      if (!is_whole && (!cost || moved <= *cost)) continue;
      stretches.push_back(
          {{uses[first].phases.lower, uses[last].phases.upper}, first, last + 1, moved - *cost});
    }
  }
  return stretches;
}

}  // namespace berth
