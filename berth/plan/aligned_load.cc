#include "berth/plan/aligned_load.h"

#include <algorithm>
#include <set>
#include <vector>

namespace berth {
namespace {

// A task that is whole over some slots, and what follows it until the next multiple.
struct Padded {
  SlotRange slots;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
};

// Padded sizes that add up past 64 bits are no bound that any arena could have: they stop there.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

class Level {
 public:
  Level(const Problem& problem, std::uint64_t alignment) {
    for (const Task& task : problem.tasks()) {
      if (task.alignment < alignment) continue;
      const std::uint64_t past = task.extent % alignment;
      const std::uint64_t lost = past == 0 ? 0 : alignment - past;
      for (const Rect& rect : problem.rects(task)) {
        if (rect.bytes != ByteRange{0, task.extent}) continue;
        starts_.push_back({rect.slots, sum_of(task.extent, lost), lost});
        loses_ = loses_ || lost > 0;
      }
    }
  }

  // Nothing is gained where the alignment divides all extents.
  bool loses() const { return loses_; }

  std::uint64_t bound() && {
    auto ends = starts_;
    std::ranges::sort(starts_, {}, [](const Padded& padded) { return padded.slots.lower; });
    std::ranges::sort(ends, {}, [](const Padded& padded) { return padded.slots.upper; });
    std::uint64_t most = 0;
    std::uint64_t sum = 0;
    std::multiset<std::uint64_t> lost;
    auto end = ends.begin();
    for (auto start = starts_.begin(); start != starts_.end();) {
      const Slot slot = start->slots.lower;
      for (; end->slots.upper <= slot; ++end) {
        sum -= end->bytes;
        lost.erase(lost.find(end->lost));
      }
      for (; start != starts_.end() && start->slots.lower == slot; ++start) {
        if (sum_of(sum, start->bytes) == UINT64_MAX) return most;
        sum += start->bytes;
        lost.insert(start->lost);
      }
      most = std::max(most, sum - *lost.rbegin());
    }
    return most;
  }

 private:
  std::vector<Padded> starts_;
  bool loses_ = false;
};

}  // namespace

std::uint64_t aligned_load(const Problem& problem) {
  std::set<std::uint64_t> alignments;
  for (const Task& task : problem.tasks()) alignments.insert(task.alignment);
  std::uint64_t most = 0;
  for (const std::uint64_t alignment : alignments) {
    Level level(problem, alignment);
    if (level.loses()) most = std::max(most, std::move(level).bound());
  }
  return most;
}

}  // namespace berth
