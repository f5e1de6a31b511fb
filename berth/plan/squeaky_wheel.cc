#include "berth/plan/squeaky_wheel.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "berth/base/parallel.h"
#include "berth/plan/live_index.h"
#include "berth/plan/placer.h"

namespace berth {
namespace {

__extension__ using Area = unsigned __int128;
using TaskList = std::vector<std::uint32_t>;

// A level's lives differ by at most this factor.
constexpr Slot kLevelRatio = 16;
// A level is placed in blocks of time of at least this many tasks and lives. What lives much longer
// passes through a block, and costs little beside so many.
constexpr std::size_t kBlockTasks = 2048;
constexpr Slot kBlockLives = 8;
// How often in a row a window is packed again without a gain before it is given up: a narrow one
// in haste, since a wider one comes after it.
constexpr int kPatience = 60;
constexpr int kHaste = 8;
// What complains goes up a class; what was loose goes up as many, or else it would have to complain
// as often before it comes to stand among what lives much longer.
constexpr std::int32_t kFirstComplaint = 16;
// A window reaches as many of a level's longest lives to both sides of what complains.
constexpr std::uint64_t kLives = 1;

// Two classes an octave.
std::int32_t area_class(const Task& task) {
  const auto area = static_cast<Area>(task.extent) * (task.slots.upper - task.slots.lower);
  const auto high = static_cast<std::uint64_t>(area >> 64);
  const auto low = static_cast<std::uint64_t>(area);
  const auto width =
      static_cast<std::int32_t>(high > 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  if (width < 2) return width;
  return 2 * width + static_cast<std::int32_t>((area >> (width - 2)) & 1);
}

Slot life(const Task& task) {
  return task.slots.upper - task.slots.lower;
}

struct Level {
  TaskList tasks;  // by start
  Slot longest = 1;
};

bool is_small_beside(const Level& level, const Level& above) {
  return level.tasks.size() < above.tasks.size() / kLevelRatio;
}

// The free tasks that take some slot, the longest lives first. A handful between two levels joins
// the one above it.
std::vector<Level> levels_of(const Problem& problem) {
  const auto tasks = problem.tasks();
  TaskList free;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].fixed && !tasks[i].slots.empty()) free.push_back(i);
  }
  std::sort(free.begin(), free.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(life(tasks[b]), a) < std::tuple(life(tasks[a]), b);
  });
  std::vector<Level> levels;
  const auto close_level = [&] {
    if (levels.size() < 2 || !is_small_beside(levels.back(), levels[levels.size() - 2])) return;
    TaskList& above = levels[levels.size() - 2].tasks;
    above.insert(above.end(), levels.back().tasks.begin(), levels.back().tasks.end());
    levels.pop_back();
  };
  Slot longest = 0;
  for (const auto index : free) {
    if (levels.empty() || life(tasks[index]) <= longest / kLevelRatio) {
      close_level();
      longest = life(tasks[index]);
      levels.push_back({{}, longest});
    }
    levels.back().tasks.push_back(index);
  }
  close_level();
  for (Level& level : levels) {
    std::sort(level.tasks.begin(), level.tasks.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(tasks[a].slots.lower, a) < std::tuple(tasks[b].slots.lower, b);
    });
  }
  return levels;
}

TaskList joined(TaskList first, const TaskList& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A few tasks as a problem of their own: some that are settled, and some to place beside them in
// the order of their priority.
class Stage {
 public:
  Stage(const Problem& problem, SlotRange window, const TaskList& settled, const TaskList& free)
      : tasks_(joined(settled, free)),
        settled_(settled.size()),
        part_(problem.part(tasks_, window)),
        order_(free.size()),
        places_(tasks_.size()),
        placer_(part_, Fit::First, places_) {}
  Stage(const Stage&) = delete;  // Its parts refer to one another.
  Stage& operator=(const Stage&) = delete;

  std::size_t size() const { return tasks_.size(); }

  // Returns the work that it was. Stops half way at the deadline.
  std::uint64_t pack(const std::vector<std::int32_t>& priority, Places& places,
                     const Deadline& deadline) {
    sort_by(priority);
    placer_.clear();
    const auto work_before = placer_.work();
    for (std::uint32_t i = 0; i < settled_; ++i) placer_.put(i, places[tasks_[i]]);
    for (const auto i : order_) {
      if (deadline.has_passed()) break;
      placer_.put_where_free(i);
      places[tasks_[i]] = places_[i];
    }
    return placer_.work() - work_before;
  }

 private:
  void sort_by(const std::vector<std::int32_t>& priority) {
    std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(settled_));
    const auto rank = [&](std::uint32_t i) {
      const Task& task = part_.tasks()[i];
      return std::tuple(-priority[tasks_[i]], ~task.congestion, task.slots.lower, tasks_[i]);
    };
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  }

  TaskList tasks_;
  std::size_t settled_;
  Problem part_;
  TaskList order_;
  Places places_;
  Placer placer_;
};

class SqueakyWheel {
 public:
  SqueakyWheel(const Problem& problem, std::uint64_t effort, const Deadline& deadline,
               std::size_t threads)
      : problem_(problem),
        deadline_(deadline),
        threads_(threads),
        index_(problem),
        effort_(effort),
        ceiling_(problem.lower_bound()),
        is_placed_(problem.tasks().size()),
        is_core_(problem.tasks().size()) {
    candidate_.packer = kSqueakyName;
    candidate_.lower_bound = problem.lower_bound();
    candidate_.places.resize(problem.tasks().size());
    for (const Task& task : problem.tasks()) priority_.push_back(area_class(task));
  }

  Candidate run() && {
    put_fixed();
    const auto levels = levels_of(problem_);
    for (std::size_t i = 0; i < levels.size() && !candidate_.cut; ++i) {
      if (i == 0) mark_core(levels[i].tasks);
      place(levels[i]);
      reaches_.insert(reaches_.begin(), kLives * std::uint64_t{levels[i].longest});
      // Half of what is left each time: what lives long decides the most, and is the fewest.
      if (!candidate_.cut) repair_all(spent_ + (effort_ - std::min(effort_, spent_)) / 2);
    }
    if (!candidate_.cut) lower_the_peak();
    stack_what_has_no_place();
    return std::move(candidate_);
  }

 private:
  const Task& task(std::uint32_t index) const { return problem_.tasks()[index]; }
  std::uint64_t end(std::uint32_t index) const {
    return candidate_.places[index] + task(index).extent;
  }
  bool complains(std::uint32_t index) const { return end(index) > ceiling_; }
  bool is_out_of_time() { return candidate_.cut = candidate_.cut || deadline_.has_passed(); }

  void put_fixed() {
    for (std::uint32_t i = 0; i < problem_.tasks().size(); ++i) {
      is_placed_[i] = task(i).fixed || task(i).slots.empty();
      if (task(i).fixed) candidate_.places[i] = *task(i).fixed;
    }
    candidate_.nodes += problem_.tasks().size();
  }

  // Block by block, so that what is looked at stays close together.
  void place(const Level& level) {
    const std::span<const std::uint32_t> tasks = level.tasks;
    std::size_t first = 0;
    while (first < tasks.size() && !is_out_of_time()) {
      SlotRange window = task(tasks[first]).slots;
      std::size_t last = first;
      while (last < tasks.size()) {
        const SlotRange slots = task(tasks[last]).slots;
        const bool is_wide = (slots.lower - window.lower) / kBlockLives >= level.longest;
        if (is_wide && last - first >= kBlockTasks) break;
        window.upper = std::max(window.upper, slots.upper);
        ++last;
      }
      TaskList free(tasks.begin() + static_cast<std::ptrdiff_t>(first),
                    tasks.begin() + static_cast<std::ptrdiff_t>(last));
      Stage stage(problem_, window, placed_in(window), free);
      Cost cost;
      pack(stage, cost);
      account_for(cost);
      for (const auto index : free) is_placed_[index] = !candidate_.cut;
      first = last;
    }
  }

  TaskList placed_in(SlotRange window) const {
    TaskList found = index_.live_in(window);
    std::erase_if(found, [&](std::uint32_t index) { return !is_placed_[index]; });
    return found;
  }

  struct Standing {
    std::uint64_t peak = 0;
    std::size_t complaints = 0;

    friend auto operator<=>(const Standing&, const Standing&) = default;
  };

  Standing standing(const TaskList& tasks) const {
    Standing standing;
    for (const auto index : tasks) {
      standing.peak = std::max(standing.peak, end(index));
      if (complains(index)) ++standing.complaints;
    }
    return standing;
  }

  SlotRange window_around(std::uint32_t index, std::uint64_t reach) const {
    const SlotRange slots = task(index).slots;
    return {static_cast<Slot>(slots.lower - std::min<std::uint64_t>(slots.lower, reach)),
            static_cast<Slot>(std::min<std::uint64_t>(problem_.slot_count(), slots.upper + reach))};
  }

  // What lives in a window, as a repair sees it.
  struct Window {
    SlotRange slots;
    TaskList core;     // packed again and again
    TaskList loose;    // the others that live inside: packed where the core leaves room
    TaskList settled;  // what must stay
  };

  Window window_of(SlotRange slots) const {
    Window window = {slots, {}, {}, {}};
    for (const auto index : placed_in(slots)) {
      const bool is_free = !task(index).fixed && slots.covers(task(index).slots);
      (!is_free ? window.settled : is_core_[index] ? window.core : window.loose).push_back(index);
    }
    std::sort(window.settled.begin(), window.settled.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(candidate_.places[a], a) < std::tuple(candidate_.places[b], b);
    });
    return window;
  }

  void mark_core(const TaskList& tasks) {
    for (const auto index : tasks) is_core_[index] = true;
  }

  // What complains is louder the next time, and what was loose is so no more.
  void listen(const TaskList& tasks) {
    for (const auto index : tasks) {
      if (!complains(index)) continue;
      priority_[index] += is_core_[index] ? 1 : kFirstComplaint;
      is_core_[index] = true;
    }
  }

  // What repairs have cost.
  struct Cost {
    std::uint64_t nodes = 0;
    std::uint64_t work = 0;
    bool cut = false;
  };

  // Packs what lives inside of a window again and again, as long as that costs no more than `limit`
  // nodes, and keeps the best. Returns whether that is better than what there was. The loose, most
  // of all tasks, are only packed behind a core that leaves hope for a lower peak. Of the others it
  // reads where they stand, and writes nothing.
  bool repair(SlotRange slots, std::uint64_t limit, int patience, Cost& cost) {
    Window window = window_of(slots);
    const TaskList all = joined(window.core, window.loose);
    const Standing before = standing(all);
    Standing best = before;
    Places best_places = places_of(all);
    listen(all);
    std::optional<Stage> stage;
    for (int stale = 0; best.complaints > 0 && stale < patience && !cost.cut; ++stale) {
      if (promote(window) || !stage) stage.emplace(problem_, slots, window.settled, window.core);
      if (cost.nodes + stage->size() + all.size() > limit) break;
      cost.nodes += stage->size();
      pack(*stage, cost);
      if (!cost.cut && standing(window.core) < best) {
        pack_loose(window, cost);
        const Standing now = standing(all);
        if (!cost.cut && now < best) {
          best = now;
          best_places = places_of(all);
          stale = -1;
        }
        listen(window.loose);
      }
      listen(window.core);
    }
    for (std::size_t i = 0; i < all.size(); ++i) candidate_.places[all[i]] = best_places[i];
    return best < before;
  }

  // Moves to the core what has become part of it. Whether there was any.
  bool promote(Window& window) const {
    const auto is_core = [&](std::uint32_t index) { return is_core_[index]; };
    const auto promoted =
        std::stable_partition(window.loose.begin(), window.loose.end(), std::not_fn(is_core));
    const bool is_any = promoted != window.loose.end();
    window.core.insert(window.core.end(), promoted, window.loose.end());
    window.loose.erase(promoted, window.loose.end());
    return is_any;
  }

  void pack(Stage& stage, Cost& cost) {
    cost.work += stage.pack(priority_, candidate_.places, deadline_);
    cost.cut = deadline_.has_passed();
  }

  void pack_loose(const Window& window, Cost& cost) {
    if (window.loose.empty()) return;
    Stage stage(problem_, window.slots, joined(window.settled, window.core), window.loose);
    cost.nodes += window.loose.size();
    pack(stage, cost);
  }

  void account_for(const Cost& cost) {
    spent_ += cost.nodes;
    candidate_.nodes += cost.nodes;
    candidate_.work += cost.work;
    candidate_.cut = candidate_.cut || cost.cut;
  }

  Places places_of(const TaskList& tasks) const {
    Places places;
    for (const auto index : tasks) places.push_back(candidate_.places[index]);
    return places;
  }

  TaskList complaints() const {
    TaskList found;
    for (std::uint32_t i = 0; i < problem_.tasks().size(); ++i) {
      if (is_placed_[i] && !task(i).fixed && !task(i).slots.empty() && complains(i)) {
        found.push_back(i);
      }
    }
    return found;
  }

  // Windows that do not meet, in order, over all complaints.
  std::vector<SlotRange> complaint_windows(std::uint64_t reach) const {
    std::vector<SlotRange> windows;
    for (const auto index : complaints()) windows.push_back(window_around(index, reach));
    std::sort(windows.begin(), windows.end(), [](SlotRange a, SlotRange b) {
      return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
    });
    std::vector<SlotRange> merged;
    for (const SlotRange window : windows) {
      if (merged.empty() || merged.back().upper <= window.lower) {
        merged.push_back(window);
      } else {
        merged.back().upper = std::max(merged.back().upper, window.upper);
      }
    }
    return merged;
  }

  // Wherever it helps, with wider and wider windows. Each may cost an equal share; they share no
  // task that is placed again.
  void repair_all(std::uint64_t limit) {
    for (const auto reach : reaches_) {
      const auto windows = complaint_windows(reach);
      if (windows.empty() || candidate_.cut) return;
      const int patience = reach == reaches_.back() ? kPatience : kHaste;
      const auto share = (limit - std::min(limit, spent_)) / windows.size();
      std::vector<Cost> costs(windows.size());
      for_each_index(windows.size(), threads_, [&](std::size_t i) {
        costs[i].cut = deadline_.has_passed();
        if (!costs[i].cut) repair(windows[i], share, patience, costs[i]);
      });
      for (const Cost& cost : costs) account_for(cost);
    }
  }

  // The highest end decides, so what is left goes there.
  void lower_the_peak() {
    for (std::size_t i = 0; i < reaches_.size() && spent_ < effort_ && !candidate_.cut;) {
      const auto left = complaints();
      if (left.empty()) return;
      const auto highest =
          *std::max_element(left.begin(), left.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return end(a) < end(b); });
      Cost cost;
      const bool helped =
          repair(window_around(highest, reaches_[i]), effort_ - spent_, kPatience, cost);
      account_for(cost);
      if (!helped) ++i;
    }
  }

  void stack_what_has_no_place() {
    if (!candidate_.cut) return;
    std::uint64_t top = 0;
    for (std::uint32_t i = 0; i < problem_.tasks().size(); ++i) {
      if (is_placed_[i]) top = std::max(top, end(i));
    }
    for (std::uint32_t i = 0; i < problem_.tasks().size(); ++i) {
      if (is_placed_[i]) continue;
      candidate_.places[i] = task(i).align_up(top);
      top = end(i);
    }
  }

  const Problem& problem_;
  const Deadline& deadline_;
  std::size_t threads_;
  LiveIndex index_;
  std::uint64_t effort_;
  std::uint64_t spent_ = 0;
  std::uint64_t ceiling_;
  std::vector<bool> is_placed_;
  std::vector<char> is_core_;           // those that are packed again and again
  std::vector<std::uint64_t> reaches_;  // of windows, in slots, the narrowest first
  std::vector<std::int32_t> priority_;
  Candidate candidate_;
};

}  // namespace

Candidate pack_by_squeaky_wheel(const Problem& problem, std::uint64_t effort,
                                const Deadline& deadline, std::size_t threads) {
  return SqueakyWheel(problem, effort, deadline, threads).run();
}

}  // namespace berth
