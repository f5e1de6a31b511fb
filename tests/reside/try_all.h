#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/ir/prices.h"

namespace berth::test {

// The most that a choice saves: every one there is, tried.
inline std::uint64_t most_by_trying(const Choice& choice) {
  std::vector<std::uint64_t> kept(choice.items.size(), 0);
  std::uint64_t best = 0;
  for (;;) {
    std::vector<std::uint64_t> load(choice.capacity.size(), 0);
    std::uint64_t sum = 0;
    bool fits = true;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const ChoiceItem& item = choice.items[i];
      sum += kept[i] * item.moved.count();
      for (const LiveRange range : item.ranges()) {
        for (Step phase = range.lower; phase < range.upper; ++phase) {
          load[phase] += kept[i] * item.bytes.count();
          fits = fits && load[phase] <= choice.capacity[phase].count();
        }
      }
    }
    if (fits) best = std::max(best, sum);
    std::size_t i = 0;
    while (i < kept.size() && kept[i] == choice.items[i].count) kept[i++] = 0;
    if (i == kept.size()) return best;
    ++kept[i];
  }
}

}  // namespace berth::test
