#include "berth/plan/live_index.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

constexpr std::size_t kLeastPage = 64;

}  // namespace

LiveIndex::LiveIndex(const Problem& problem) : problem_(problem) {
  const auto tasks = problem.tasks();
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].slots.empty()) by_start_.push_back(i);
  }
  const auto start = [&](std::uint32_t i) { return tasks[i].slots.lower; };
  std::sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(start(a), a) < std::pair(start(b), b);
  });

  std::vector<std::uint32_t> live;
  for (std::size_t i = 0; i < by_start_.size(); ++i) {
    const Slot now = start(by_start_[i]);
    const bool is_full =
        pages_.empty() || i - pages_.back().first_start >=
                              std::max(kLeastPage, carried_.size() - pages_.back().first_carried);
    if (is_full && (pages_.empty() || now > start(by_start_[i - 1]))) {
      std::erase_if(live, [&](std::uint32_t task) { return tasks[task].slots.upper <= now; });
      pages_.push_back({now, i, carried_.size()});
      carried_.insert(carried_.end(), live.begin(), live.end());
    }
    live.push_back(by_start_[i]);
  }
  pages_.push_back({problem.slot_count(), by_start_.size(), carried_.size()});
}

std::vector<std::uint32_t> LiveIndex::live_in(SlotRange window) const {
  const auto tasks = problem_.tasks();
  std::vector<std::uint32_t> found;
  if (window.empty() || by_start_.empty()) return found;
  const auto next = std::upper_bound(pages_.begin() + 1, pages_.end() - 1, window.lower,
                                     [](Slot slot, const Page& page) { return slot < page.from; });
  const Page& page = *std::prev(next);
  for (auto i = page.first_carried; i < next->first_carried; ++i) {
    if (tasks[carried_[i]].slots.overlaps(window)) found.push_back(carried_[i]);
  }
  for (auto i = page.first_start; i < by_start_.size(); ++i) {
    const SlotRange slots = tasks[by_start_[i]].slots;
    if (slots.lower >= window.upper) break;
    if (slots.overlaps(window)) found.push_back(by_start_[i]);
  }
  return found;
}

}  // namespace berth
