#include "berth/live/phase_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "berth/ir/phase_loops.h"
#include "berth/live/tensor_groups.h"

// What is live is a matter of which phases have run, whatever their order:
//
//   a -> b -> d      after {a, c}: the results of a and c
//   c -> e           after {a, b}: the result of b alone, if only b reads a's
//
// so a search needs to look at each such set once, at the lowest peak that leads to it. A phase
// that can run now, needs no more than the peak so far and leaves no more live than before can run
// at once: whatever runs before it, it would only get cheaper.

namespace berth {
namespace {

using PhaseIndex = std::uint32_t;
using Bits = std::vector<std::uint64_t>;

constexpr std::size_t kWidestBeam = 64;

bool has(const Bits& bits, std::size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
void add(Bits& bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

// Bytes that a stretch of phases shares: live from the first of them that touches it (or before)
// to the last (or on).
struct Item {
  std::uint64_t bytes = 0;
  bool lives_before = false;
  bool lives_after = false;
  std::vector<PhaseIndex> touched_by;  // counted from the stretch's first
};

// Phases between two that stay.
struct Stretch {
  std::size_t first = 0;
  std::vector<std::uint64_t> scratch;                // by phase
  std::vector<std::vector<PhaseIndex>> followers;    // by phase: those that must come later
  std::vector<std::uint32_t> leaders;                // by phase: how many must come before
  std::vector<std::vector<std::uint32_t>> items_of;  // by phase
  std::vector<Item> items;

  std::size_t size() const { return scratch.size(); }
};

struct State {
  Bits done;
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  std::uint32_t depth = 0;
  std::uint32_t parent = 0;
  std::vector<PhaseIndex> ran;  // since the parent
};

class StretchSearch {
 public:
  StretchSearch(const Stretch& stretch, std::uint64_t effort)
      : stretch_(stretch), left_(effort / (stretch.size() + 1)) {}

  // An order with a lower peak than the given one, if one was found.
  std::optional<std::vector<PhaseIndex>> run() {
    std::vector<PhaseIndex> given(stretch_.size());
    std::iota(given.begin(), given.end(), PhaseIndex{0});
    limit_ = peak_of(given);
    auto order = best_first(left_ / 2);
    if (!order) order = beam();
    return order;
  }

 private:
  std::uint64_t peak_of(const std::vector<PhaseIndex>& order) const {
    State state = start();
    load(state);
    for (const PhaseIndex phase : order) take(state, phase);
    return state.peak;
  }

  State start() const {
    State state;
    state.done.resize(stretch_.size() / 64 + 1);
    for (const Item& item : stretch_.items) {
      if (item.lives_before) state.live += item.bytes;
    }
    state.peak = state.live;
    return state;
  }

  // How far each item and phase has come in a state, for the calls that follow.
  void load(const State& state) const {
    waiting_for_ = stretch_.leaders;
    to_touch_.clear();
    for (const Item& item : stretch_.items) {
      to_touch_.push_back(static_cast<std::uint32_t>(item.touched_by.size()));
    }
    for (std::size_t phase = 0; phase < stretch_.size(); ++phase) {
      if (has(state.done, phase)) note_done(phase);
    }
  }
  void note_done(std::size_t phase) const {
    for (const PhaseIndex follower : stretch_.followers[phase]) --waiting_for_[follower];
    for (const auto item : stretch_.items_of[phase]) --to_touch_[item];
  }

  struct Cost {
    std::uint64_t during = 0;
    std::uint64_t after = 0;
  };
  Cost cost(const State& state, PhaseIndex phase) const {
    Cost cost = {state.live + stretch_.scratch[phase], state.live};
    for (const auto index : stretch_.items_of[phase]) {
      const Item& item = stretch_.items[index];
      const bool is_born = !item.lives_before && to_touch_[index] == item.touched_by.size();
      const bool dies = !item.lives_after && to_touch_[index] == 1;
      if (is_born) cost.during += item.bytes;
      if (is_born) cost.after += item.bytes;
      if (dies) cost.after -= item.bytes;
    }
    return cost;
  }

  bool is_ready(const State& state, std::size_t phase) const {
    return waiting_for_[phase] == 0 && !has(state.done, phase);
  }

  void take(State& state, PhaseIndex phase) const {
    const Cost paid = cost(state, phase);
    state.peak = std::max(state.peak, paid.during);
    state.live = paid.after;
    add(state.done, phase);
    ++state.depth;
    state.ran.push_back(phase);
    note_done(phase);
  }

  void take_what_is_free(State& state) const {
    for (bool again = true; again;) {
      again = false;
      for (PhaseIndex phase = 0; phase < stretch_.size(); ++phase) {
        if (!is_ready(state, phase)) continue;
        const Cost paid = cost(state, phase);
        if (paid.during > state.peak || paid.after > state.live) continue;
        take(state, phase);
        again = true;
      }
    }
  }

  // The states one phase (and all that is then free) further on, with a peak below the limit.
  std::vector<State> successors(const State& state, std::uint32_t index) const {
    std::vector<State> next;
    load(state);
    std::vector<PhaseIndex> ready;
    for (PhaseIndex phase = 0; phase < stretch_.size(); ++phase) {
      if (is_ready(state, phase)) ready.push_back(phase);
    }
    for (const PhaseIndex phase : ready) {
      State further = {state.done, state.live, state.peak, state.depth, index, {}};
      load(state);
      take(further, phase);
      if (further.peak >= limit_) continue;
      take_what_is_free(further);
      next.push_back(std::move(further));
    }
    return next;
  }

  std::vector<PhaseIndex> order_to(std::uint32_t last) const {
    std::vector<std::vector<PhaseIndex>> parts;
    for (auto i = last; i != 0; i = states_[i].parent) parts.push_back(states_[i].ran);
    std::vector<PhaseIndex> order = states_[0].ran;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      order.insert(order.end(), part->begin(), part->end());
    }
    return order;
  }

  void begin() {
    states_.clear();
    State first = start();
    load(first);
    take_what_is_free(first);
    states_.push_back(std::move(first));
  }

  // The lowest peak first, then what has come furthest: complete, if there is time for it.
  std::optional<std::vector<PhaseIndex>> best_first(std::uint64_t most) {
    begin();
    using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t>;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> open;
    std::set<Bits> seen;
    const auto offer = [&](std::uint32_t index) {
      const State& state = states_[index];
      open.emplace(state.peak, static_cast<std::uint32_t>(stretch_.size()) - state.depth,
                   state.live, index);
    };
    offer(0);
    for (; !open.empty() && most > 0 && left_ > 0; --most, --left_) {
      const auto index = std::get<3>(open.top());
      open.pop();
      if (!seen.insert(states_[index].done).second) continue;
      if (states_[index].depth == stretch_.size()) {
        return states_[index].peak < limit_ ? std::optional(order_to(index)) : std::nullopt;
      }
      for (State& next : successors(states_[index], index)) {
        if (seen.contains(next.done)) continue;
        states_.push_back(std::move(next));
        offer(static_cast<std::uint32_t>(states_.size() - 1));
      }
    }
    if (open.empty()) left_ = 0;  // There is nothing better.
    return std::nullopt;
  }

  // The most promising states alone, step by step.
  std::optional<std::vector<PhaseIndex>> beam() {
    const std::size_t width = std::min<std::uint64_t>(kWidestBeam, left_ / (stretch_.size() + 1));
    if (width == 0) return std::nullopt;
    begin();
    std::vector<std::uint32_t> front = {0};
    while (!front.empty()) {
      std::map<Bits, State> found;
      for (const auto index : front) {
        if (states_[index].depth == stretch_.size()) return order_to(index);
        for (State& next : successors(states_[index], index)) {
          const auto [known, is_new] = found.try_emplace(next.done, next);
          if (!is_new && next.peak < known->second.peak) known->second = std::move(next);
        }
      }
      std::vector<State> best;
      for (auto& [done, state] : found) best.push_back(std::move(state));
      std::stable_sort(best.begin(), best.end(), [](const State& a, const State& b) {
        // What has come further has more behind it: bytes that are live count for what is done.
        return std::tuple(a.peak, a.live, b.depth) < std::tuple(b.peak, b.live, a.depth);
      });
      if (best.size() > width) best.resize(width);
      front.clear();
      for (State& state : best) {
        states_.push_back(std::move(state));
        front.push_back(static_cast<std::uint32_t>(states_.size() - 1));
      }
    }
    return std::nullopt;
  }

  const Stretch& stretch_;
  std::uint64_t left_;
  std::uint64_t limit_ = 0;  // a peak must stay below it
  std::vector<State> states_;
  mutable std::vector<std::uint32_t> waiting_for_;
  mutable std::vector<std::uint32_t> to_touch_;
};

class Stretches {
 public:
  Stretches(const Program& program, const TensorGroups& groups, Alignment unit)
      : program_(program), groups_(groups), unit_(unit), stays_(in_loops(program)) {
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      stays_[i] = stays_[i] || program.phases[i].stays;
    }
    find_touches();
  }

  std::vector<Stretch> all() const {
    std::vector<Stretch> stretches;
    for (std::size_t first = 0; first < stays_.size();) {
      std::size_t last = first;
      while (last < stays_.size() && !stays_[last]) ++last;
      if (last - first > 1) stretches.push_back(between(first, last));
      first = std::max(last, first + 1);
    }
    return stretches;
  }

 private:
  struct Touch {
    std::size_t phase = 0;
    bool writes = false;
  };

  void find_touches() {
    touches_.resize(program_.tensors.size());
    for (std::size_t phase = 0; phase < program_.phases.size(); ++phase) {
      for (const TensorAccess& access : program_.phases[phase].accesses) {
        auto& touches = touches_[groups_[access.tensor].root.index()];
        if (touches.empty() || touches.back().phase != phase) touches.push_back({phase, false});
        if (access.kind == TensorAccess::Kind::Write) touches.back().writes = true;
      }
    }
  }

  Stretch between(std::size_t first, std::size_t last) const {
    Stretch stretch;
    stretch.first = first;
    const auto count = last - first;
    stretch.followers.resize(count);
    stretch.leaders.resize(count);
    stretch.items_of.resize(count);
    for (auto phase = first; phase < last; ++phase) {
      stretch.scratch.push_back(program_.phases[phase].scratch.count());
    }
    for (std::size_t root = 0; root < touches_.size(); ++root) {
      std::vector<Touch> inside;
      for (const Touch& touch : touches_[root]) {
        if (touch.phase >= first && touch.phase < last) inside.push_back(touch);
      }
      if (inside.empty()) continue;
      add_order(stretch, inside);
      if (!why_kept(program_, groups_, TensorId(root))) add_item(stretch, root, inside);
    }
    return stretch;
  }

  // Every write comes after all touches before it and before all after it.
  static void add_order(Stretch& stretch, const std::vector<Touch>& inside) {
    const auto add = [&](std::size_t before, std::size_t after) {
      stretch.followers[before - stretch.first].push_back(
          static_cast<PhaseIndex>(after - stretch.first));
      ++stretch.leaders[after - stretch.first];
    };
    std::optional<std::size_t> write;
    std::vector<std::size_t> reads;  // since that write
    for (const Touch& touch : inside) {
      if (write) add(*write, touch.phase);
      if (!touch.writes) {
        reads.push_back(touch.phase);
        continue;
      }
      for (const auto read : reads) add(read, touch.phase);
      reads.clear();
      write = touch.phase;
    }
  }

  void add_item(Stretch& stretch, std::size_t root, const std::vector<Touch>& inside) const {
    const auto& group = groups_.groups[root];
    Item item;
    const auto bytes = checked_round_up(program_.tensors[root].bytes, unit_);
    item.bytes = bytes.value_or(program_.tensors[root].bytes).count();
    item.lives_before = group.given_in || touches_[root].front().phase < inside.front().phase;
    item.lives_after = group.given_out || touches_[root].back().phase > inside.back().phase;
    for (const Touch& touch : inside) {
      const auto phase = touch.phase - stretch.first;
      item.touched_by.push_back(static_cast<PhaseIndex>(phase));
      stretch.items_of[phase].push_back(static_cast<std::uint32_t>(stretch.items.size()));
    }
    stretch.items.push_back(std::move(item));
  }

  const Program& program_;
  const TensorGroups& groups_;
  Alignment unit_;
  std::vector<bool> stays_;
  std::vector<std::vector<Touch>> touches_;  // by TensorId of the root, in order
};

}  // namespace

Result<std::optional<PhaseOrder>> find_smaller_order(const Program& program, Alignment unit,
                                                     std::uint64_t effort) {
  const auto groups = group_tensors(program);
  if (!groups) return tl::unexpected(groups.error());
  PhaseOrder order(program.phases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  bool is_new = false;
  const auto stretches = Stretches(program, *groups, unit).all();
  for (const Stretch& stretch : stretches) {
    const auto better = StretchSearch(stretch, effort / stretches.size()).run();
    if (!better) continue;
    is_new = true;
    for (std::size_t i = 0; i < better->size(); ++i) {
      order[stretch.first + i] = stretch.first + (*better)[i];
    }
  }
  return is_new ? std::optional(order) : std::nullopt;
}

Program reordered(const Program& program, const PhaseOrder& order) {
  Program other = program;
  for (std::size_t i = 0; i < order.size(); ++i) other.phases[i] = program.phases[order[i]];
  return other;
}

}  // namespace berth
