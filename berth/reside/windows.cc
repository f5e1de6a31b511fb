#include "berth/reside/windows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "berth/reside/search.h"

namespace berth {
namespace {

constexpr std::size_t kWindow = 40;          // items
constexpr std::uint64_t kWindowEffort = 40;  // nodes

class Windows {
 public:
  Windows(const Choice& choice, std::vector<std::uint64_t>& kept, std::uint64_t& effort)
      : choice_(choice), kept_(kept), effort_(effort), by_begin_(choice.items.size()) {
    std::iota(by_begin_.begin(), by_begin_.end(), std::size_t{0});
    std::ranges::stable_sort(by_begin_, {}, [&](std::size_t i) {
      return choice_.items[i].phases.lower + choice_.items[i].phases.upper;
    });
  }

  void run() {
    bool is_better = true;
    while (is_better && effort_ > 0) {
      is_better = false;
      for (std::size_t first = 0; first < by_begin_.size() && effort_ > 0; first += kWindow / 3) {
        const std::size_t end = std::min(first + kWindow, by_begin_.size());
        is_better |= improve({by_begin_.begin() + static_cast<std::ptrdiff_t>(first),
                              by_begin_.begin() + static_cast<std::ptrdiff_t>(end)});
      }
    }
  }

 private:
  // Whether these items save more in another choice.
  bool improve(const std::vector<std::size_t>& items) {
    Choice part = room_for(items);
    std::vector<std::uint64_t> start;
    for (const std::size_t i : items) {
      part.items.push_back(choice_.items[i]);
      start.push_back(kept_[i]);
    }
    const auto before = saved(items);
    // What competes with nobody beside the others stays.
    for (const std::size_t i : items) kept_[i] = choice_.items[i].count;
    for (const Component& component : components_of(part)) {
      std::vector<std::uint64_t> begin;
      for (const std::size_t i : component.items) begin.push_back(start[i]);
      std::uint64_t effort = std::min(effort_, kWindowEffort);
      effort_ -= effort;
      const Found found = search(component.choice, std::move(begin), effort);
      effort_ += effort;
      for (std::size_t i = 0; i < component.items.size(); ++i) {
        kept_[items[component.items[i]]] = found.kept[i];
      }
    }
    return saved(items) > before;
  }

  std::uint64_t saved(const std::vector<std::size_t>& items) const {
    std::uint64_t sum = 0;
    for (const std::size_t i : items) sum += choice_.items[i].moved.count() * kept_[i];
    return sum;
  }

  // The capacities that all other items leave.
  Choice room_for(const std::vector<std::size_t>& items) const {
    Choice part{.capacity = choice_.capacity, .items = {}};
    std::vector<bool> is_free(kept_.size(), false);
    for (const std::size_t i : items) is_free[i] = true;
    std::vector<Bytes> begins(part.capacity.size() + 1);
    std::vector<Bytes> ends(part.capacity.size() + 1);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (is_free[i] || kept_[i] == 0) continue;
      for (const LiveRange range : choice_.items[i].ranges()) {
        if (range.empty()) continue;
        begins[range.lower] += *checked_multiply(choice_.items[i].bytes, kept_[i]);
        ends[range.upper] += *checked_multiply(choice_.items[i].bytes, kept_[i]);
      }
    }
    Bytes load;
    for (Step phase = 0; phase < part.capacity.size(); ++phase) {
      load -= ends[phase];
      load += begins[phase];
      part.capacity[phase] -= load;
    }
    return part;
  }

  const Choice& choice_;
  std::vector<std::uint64_t>& kept_;
  std::uint64_t& effort_;
  std::vector<std::size_t> by_begin_;
};

}  // namespace

void improve_in_windows(const Choice& choice, std::vector<std::uint64_t>& kept,
                        std::uint64_t& effort) {
  if (choice.items.size() <= kWindow) return;
  Windows(choice, kept, effort).run();
}

}  // namespace berth
