#include "berth/reside/core.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace berth {
namespace {

__extension__ using Signed = __int128;

constexpr std::size_t kHalf = 16;  // changes in each half of the core
constexpr std::size_t kMostStates = 200'000;
constexpr std::size_t kMostWork = 12'000'000;
constexpr std::size_t kMostTaken = 6'000'000;
constexpr std::uint64_t kMostTimes = 1ULL << 60;
constexpr Signed kSmall = Signed{1} << 120;

// So many more or fewer of an item than the price says.
struct Change {
  std::size_t item = 0;
  std::int64_t times = 0;
  Signed bytes = 0;
  Signed loss = 0;
};

class Core {
 public:
  Core(const Choice& choice, const PriceNode& price, const std::vector<std::uint64_t>& start)
      : choice_(choice),
        capacity_(static_cast<Signed>(choice.capacity[0].count())),
        scale_(static_cast<Signed>(price.scale)),
        price_(price.prices.empty() ? 0 : static_cast<Signed>(price.prices[0].price)),
        best_(start) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      saved_ += choice.items[i].moved.count() * start[i];
      unit_ = std::gcd(unit_, choice.items[i].moved.count());
    }
    unit_ = std::max<std::uint64_t>(unit_, 1);
  }

  std::optional<Packed> run() {
    if (scale_ > Signed{1} << 40 || price_ > Signed{1} << 62) return std::nullopt;
    if (!divide()) return std::nullopt;
    search_halves();
    deepen();
    return Packed{std::move(best_), saved_, most_};
  }

 private:
  Signed moved(std::size_t i) const { return static_cast<Signed>(choice_.items[i].moved.count()); }
  Signed bytes(std::size_t i) const { return static_cast<Signed>(choice_.items[i].bytes.count()); }

  // What the price says of each item, and the changes that lose least first.
  bool divide() {
    limit_ = price_ * capacity_;
    for (std::size_t i = 0; i < choice_.items.size(); ++i) {
      auto count = choice_.items[i].count;
      if (bytes(i) > 0) count = std::min(count, static_cast<std::uint64_t>(capacity_ / bytes(i)));
      if (count > kMostTimes) return false;
      const Signed gain = moved(i) * scale_ - bytes(i) * price_;
      // Where the price leaves it open, as often as in the choice to begin with.
      const std::uint64_t kept = gain > 0 ? count : gain < 0 ? 0 : std::min(count, best_[i]);
      if (gain > 0) {
        if (gain > kSmall || limit_ > kSmall) return false;
        limit_ += gain * static_cast<Signed>(count);
      }
      load_ += bytes(i) * static_cast<Signed>(kept);
      by_price_.push_back(kept);
      const Signed loss = gain > 0 ? gain : -gain;
      add_changes(i, count - kept, 1, loss);
      add_changes(i, kept, -1, loss);
    }
    if (limit_ > kSmall) return false;
    std::ranges::stable_sort(changes_, {}, &Change::loss);
    return true;
  }

  // Bundles of 1, 2, 4, ... that together make any number of times.
  void add_changes(std::size_t item, std::uint64_t count, Signed sign, Signed loss) {
    for (std::uint64_t bundle = 1; count > 0; bundle *= 2) {
      const std::uint64_t times = std::min(bundle, count);
      const auto signed_times = static_cast<Signed>(times);
      if (loss > kSmall / signed_times) return;  // more than any choice may lose
      changes_.push_back({item, static_cast<std::int64_t>(sign * signed_times),
                          sign * signed_times * bytes(item), loss * signed_times});
      count -= times;
    }
  }

  // The least that is more than what is saved, and what a choice may lose that saves it.
  Signed wanted() const {
    return static_cast<Signed>(saved_ / unit_ + 1) * static_cast<Signed>(unit_) * scale_;
  }
  Signed slack() const { return limit_ - wanted(); }

  void take(const std::vector<std::size_t>& changes) {
    auto kept = by_price_;
    std::uint64_t saved = 0;
    for (const std::size_t i : changes) {
      kept[changes_[i].item] += static_cast<std::uint64_t>(changes_[i].times);  // modulo 2^64
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      saved += choice_.items[i].moved.count() * kept[i];
    }
    if (saved <= saved_) return;
    saved_ = saved;
    best_ = std::move(kept);
  }

  // Some of a half's changes: what they load, and what that is worth.
  struct Some {
    Signed load = 0;
    Signed worth = 0;
    std::uint32_t which = 0;
  };
  std::vector<Some> subsets(const std::vector<std::size_t>& half) const {
    std::vector<Some> all = {Some{}};
    for (std::size_t i = 0; i < half.size(); ++i) {
      const Change& change = changes_[half[i]];
      const Signed worth = change.bytes * price_ - change.loss;
      const std::size_t before = all.size();
      for (std::size_t s = 0; s < before; ++s) {
        all.push_back({all[s].load + change.bytes, all[s].worth + worth, all[s].which | 1U << i});
      }
    }
    std::ranges::sort(all, {}, [](const Some& it) { return std::pair(it.load, it.which); });
    return all;
  }

  // Those that lose least: as many that take room as that give it back, while there are both.
  std::vector<std::size_t> smallest_changes() const {
    std::vector<std::size_t> taking;
    std::vector<std::size_t> giving;
    for (std::size_t i = 0; i < changes_.size() && changes_[i].loss <= slack(); ++i) {
      auto& side = changes_[i].bytes > 0 ? taking : giving;
      if (side.size() < 2 * kHalf) side.push_back(i);
    }
    std::vector<std::size_t> smallest;
    for (std::size_t i = 0; i < 2 * kHalf && smallest.size() < 2 * kHalf; ++i) {
      if (i < taking.size()) smallest.push_back(taking[i]);
      if (i < giving.size()) smallest.push_back(giving[i]);
    }
    return smallest;
  }

  // The best of the smallest changes: each choice of one half with the best of the other that fits.
  void search_halves() {
    if (slack() < 0) return;
    std::vector<std::size_t> halves[2];
    for (const std::size_t i : smallest_changes()) {
      auto& half = halves[0].size() < halves[1].size() ? halves[0] : halves[1];
      half.push_back(i);
    }
    const std::vector<Some> a = subsets(halves[0]);
    const std::vector<Some> b = subsets(halves[1]);
    std::vector<std::size_t> most(b.size());  // the best of those up to each
    for (std::size_t i = 0; i < b.size(); ++i) {
      most[i] = i > 0 && b[most[i - 1]].worth >= b[i].worth ? most[i - 1] : i;
    }
    std::optional<std::pair<std::size_t, std::size_t>> best;
    std::size_t end = b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
      while (end > 0 && load_ + a[i].load + b[end - 1].load > capacity_) --end;
      if (end == 0) break;
      const std::size_t j = most[end - 1];
      if (!best || a[i].worth + b[j].worth > a[best->first].worth + b[best->second].worth) {
        best = {i, j};
      }
    }
    if (!best) return;
    std::vector<std::size_t> taken;
    const std::uint32_t which[2] = {a[best->first].which, b[best->second].which};
    for (std::size_t h = 0; h < 2; ++h) {
      for (std::size_t i = 0; i < halves[h].size(); ++i) {
        if ((which[h] >> i & 1) != 0) taken.push_back(halves[h][i]);
      }
    }
    take(taken);
  }

  // Looks at all that lose no more than an amount that grows.
  void deepen() {
    most_ = saved_;
    const Signed all = slack();
    if (all < 0) return;
    Signed amount = std::max<Signed>(1, all >> 20);
    for (Signed done = -1;; done = amount, amount = std::min(all, 4 * amount)) {
      const auto found = explore(amount);
      if (!found) {
        // Nothing that loses no more than what was done is better.
        const Signed rest = (limit_ - done - 1) / scale_;
        most_ = std::max(saved_, static_cast<std::uint64_t>(rest) / unit_ * unit_);
        return;
      }
      most_ = saved_;
      if (*found || amount == all) return;
    }
  }

  struct State {
    Signed load = 0;
    Signed loss = 0;
    std::uint32_t history = 0;
  };
  struct Taken {
    std::uint32_t change;
    std::uint32_t before;
  };

  // Whether a choice that is better was found among those that lose no more than this; nothing
  // where there are too many.
  std::optional<bool> explore(Signed amount) {
    const auto end = std::ranges::upper_bound(changes_, amount, {}, &Change::loss);
    auto count = static_cast<std::size_t>(end - changes_.begin());
    Signed fewer = 0;  // by how much those to come may change the load
    Signed more = 0;
    for (std::size_t i = 0; i < count; ++i) {
      (changes_[i].bytes < 0 ? fewer : more) += changes_[i].bytes;
    }
    std::vector<State> states = {{load_, 0, 0}};
    std::vector<Taken> taken = {{0, 0}};
    while (count-- > 0) {
      const Change& change = changes_[count];
      (change.bytes < 0 ? fewer : more) -= change.bytes;
      work_ += states.size();
      states = merged(states, count, taken, amount);
      std::erase_if(states, [&](const State& it) {
        return it.load + fewer > capacity_ ||
               it.loss + price_ * std::max<Signed>(0, capacity_ - it.load - more) > amount;
      });
      const bool is_much =
          states.size() > kMostStates || work_ > kMostWork || taken.size() > kMostTaken;
      if (is_much) return std::nullopt;
    }
    const State* best = nullptr;
    for (const State& it : states) {
      if (it.load <= capacity_ && (best == nullptr || worth(it) > worth(*best))) best = &it;
    }
    if (best == nullptr || best->loss + price_ * (capacity_ - best->load) > amount) return false;
    std::vector<std::size_t> changes;
    for (std::uint32_t at = best->history; at != 0; at = taken[at].before) {
      changes.push_back(taken[at].change);
    }
    take(changes);
    return true;
  }

  Signed worth(const State& it) const { return price_ * it.load - it.loss; }

  // The states with the change and without it, by load. One that loads more and is worth no more
  // than another goes: whatever completes it, completes the other.
  std::vector<State> merged(const std::vector<State>& states, std::size_t index,
                            std::vector<Taken>& taken, Signed amount) const {
    const Change& change = changes_[index];
    std::vector<State> result;
    result.reserve(2 * states.size());
    std::size_t without = 0;
    std::size_t with = 0;
    while (without < states.size() || with < states.size()) {
      const bool is_with =
          without == states.size() ||
          (with < states.size() && states[with].load + change.bytes < states[without].load);
      State next = states[is_with ? with++ : without++];
      if (is_with) {
        next.load += change.bytes;
        next.loss += change.loss;
        if (next.loss > amount) continue;
      }
      if (!result.empty() && worth(next) <= worth(result.back())) continue;
      if (!result.empty() && result.back().load == next.load) result.pop_back();
      if (is_with) {
        taken.push_back({static_cast<std::uint32_t>(index), next.history});
        next.history = static_cast<std::uint32_t>(taken.size() - 1);
      }
      result.push_back(next);
    }
    return result;
  }

  const Choice& choice_;
  Signed capacity_;
  Signed scale_;
  Signed price_;
  std::vector<std::uint64_t> best_;
  std::uint64_t saved_ = 0;
  std::uint64_t most_ = 0;
  std::uint64_t unit_ = 0;               // of all that can be saved
  std::vector<std::uint64_t> by_price_;  // times, by item
  Signed load_ = 0;                      // of these
  Signed limit_ = 0;                     // what all may save by the price, times the scale
  std::vector<Change> changes_;
  std::size_t work_ = 0;
};

}  // namespace

std::optional<Packed> pack_core(const Choice& choice, const PriceNode& price,
                                const std::vector<std::uint64_t>& start) {
  return Core(choice, price, start).run();
}

}  // namespace berth
