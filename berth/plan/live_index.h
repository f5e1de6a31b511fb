#pragma once

#include <cstdint>
#include <vector>

#include "berth/plan/problem.h"

namespace berth {

// Tells which tasks are live in a window of time without looking at the others. Tasks stand in the
// order of their starts, cut into pages; each page lists the tasks of earlier pages that are live
// as it opens. A page holds as many starts as its list is long, so the lists together hold no more
// than twice the tasks, and a window's tasks are found by reading at most twice as many.
class LiveIndex {
 public:
  explicit LiveIndex(const Problem& problem);

  // The tasks that are live in some of these slots, from their first rect to their last.
  std::vector<std::uint32_t> live_in(SlotRange window) const;

 private:
  struct Page {
    Slot from = 0;
    std::size_t first_start = 0;    // in by_start_
    std::size_t first_carried = 0;  // in carried_
  };

  const Problem& problem_;
  std::vector<std::uint32_t> by_start_;
  std::vector<Page> pages_;  // one more than there are
  std::vector<std::uint32_t> carried_;
};

}  // namespace berth
