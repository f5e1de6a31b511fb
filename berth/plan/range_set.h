#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/interval.h"
#include "berth/ir/instance.h"

namespace berth {

// Bytes that are taken: disjoint ranges in order, with ranges that touch made one. What packs
// densely stays short.
class RangeSet {
 public:
  std::span<const ByteRange> ranges() const { return ranges_; }

  void clear() { ranges_.clear(); }

  // Returns how many ranges were touched or moved, the cost of the call; 0 where every byte of
  // `range` was taken already.
  std::size_t add(ByteRange range) {
    const auto first =
        std::lower_bound(ranges_.begin(), ranges_.end(), range.lower,
                         [](const ByteRange& r, std::uint64_t lower) { return r.upper < lower; });
    if (first != ranges_.end() && first->covers(range)) return 0;
    auto last = first;
    while (last != ranges_.end() && last->lower <= range.upper) ++last;
    const auto behind = static_cast<std::size_t>(ranges_.end() - first);
    if (first == last) {
      ranges_.insert(first, range);
      return behind + 1;
    }
    first->lower = std::min(first->lower, range.lower);
    first->upper = std::max(std::prev(last)->upper, range.upper);
    if (last - first == 1) return 1;
    ranges_.erase(first + 1, last);
    return behind;
  }

 private:
  std::vector<ByteRange> ranges_;
};

}  // namespace berth
