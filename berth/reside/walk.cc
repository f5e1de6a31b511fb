#include "berth/reside/walk.h"

#include <algorithm>
#include <numeric>

namespace berth {
namespace {

__extension__ using Signed = __int128;

constexpr std::size_t kSlots = 64;
// The check looks at some times as many.
constexpr std::size_t kMostSets = 200'000;
constexpr std::size_t kMostTaken = 4'000'000;
constexpr std::size_t kMostWork = 10'000'000;
constexpr std::uint64_t kLargest = 1ULL << 60;  // sums that stay well within 128 bits

// Items that stay and are live, with what they and those before them are worth at most by the
// prices: what they save times the scale, less their bytes at the prices of the phases to come.
struct Held {
  std::uint64_t live = 0;  // by slot
  std::uint64_t load = 0;
  Signed worth = 0;
  std::uint32_t history = 0;
};

// Who was taken last, and what was held before: a list that shares its tails.
struct Taken {
  std::uint32_t item;
  std::uint32_t before;
};

class Walk {
 public:
  Walk(const Choice& choice, const PriceNode& prices, std::uint64_t least)
      : choice_(choice), scale_(static_cast<Signed>(prices.scale)) {
    price_.assign(choice.capacity.size(), 0);
    for (const PhasePrice& it : prices.prices) price_[it.phase] = it.price;
    before_.assign(price_.size() + 1, 0);
    std::uint64_t unit = 0;
    for (std::size_t i = 0; i < price_.size(); ++i) {
      before_[i + 1] = before_[i] + static_cast<Signed>(price_[i]);
      open_ += worth_of(choice.capacity[i].count(), i);
    }
    for (const ChoiceItem& item : choice.items) {
      open_ += std::max<Signed>(reduced(item), 0);
      unit = std::gcd(unit, item.moved.count());
    }
    unit = std::max<std::uint64_t>(unit, 1);
    wanted_ = (static_cast<Signed>(least / unit) + 1) * static_cast<Signed>(unit) * scale_;
  }

  std::optional<Walked> run() {
    if (!is_small()) return std::nullopt;
    std::vector<std::size_t> begins(choice_.items.size());
    std::iota(begins.begin(), begins.end(), std::size_t{0});
    std::vector<std::size_t> ends = begins;
    std::ranges::stable_sort(begins, {}, [&](std::size_t i) { return phases(i).lower; });
    std::ranges::stable_sort(ends, {}, [&](std::size_t i) { return phases(i).upper; });
    slot_.assign(begins.size(), kSlots);
    sets_ = {Held{}};
    taken_ = {{0, 0}};
    auto begin = begins.begin();
    auto end = ends.begin();
    for (Step phase = 0; phase < choice_.capacity.size(); ++phase) {
      const auto first_end = end;
      for (; end != ends.end() && phases(*end).upper <= phase; ++end) drop(*end);
      if (end != first_end) unite();
      for (; begin != begins.end() && phases(*begin).lower == phase; ++begin) {
        if (!branch(*begin, phase)) return std::nullopt;
      }
      pass(phase);
    }
    return best();
  }

 private:
  LiveRange phases(std::size_t item) const { return choice_.items[item].phases; }
  Signed worth_of(std::uint64_t bytes, std::size_t phase) const {
    return static_cast<Signed>(bytes) * static_cast<Signed>(price_[phase]);
  }
  Signed reduced(const ChoiceItem& item) const {
    return static_cast<Signed>(item.moved.count()) * scale_ -
           static_cast<Signed>(item.bytes.count()) *
               (before_[item.phases.upper] - before_[item.phases.lower]);
  }

  // No sum here can leave 128 bits.
  bool is_small() const {
    Signed prices = 0;
    for (const std::uint64_t price : price_) prices += static_cast<Signed>(price);
    if (scale_ > (Signed{1} << 40) || prices > (Signed{1} << 60)) return false;
    return std::ranges::all_of(choice_.items,
                               [](const ChoiceItem& item) {
                                 return item.count == 1 && !item.turns &&
                                        item.moved.count() < kLargest &&
                                        item.bytes.count() < kLargest;
                               }) &&
           std::ranges::all_of(choice_.capacity,
                               [](Bytes capacity) { return capacity.count() < kLargest; });
  }

  void drop(std::size_t item) {
    const std::uint64_t bit = 1ULL << slot_[item];
    used_ &= ~bit;
    for (Held& set : sets_) {
      if ((set.live & bit) == 0) continue;
      set.live &= ~bit;
      set.load -= choice_.items[item].bytes.count();
    }
  }

  // Of those with the same live items, the one that is worth most.
  void unite() {
    std::ranges::stable_sort(sets_, [](const Held& a, const Held& b) {
      return a.live != b.live ? a.live < b.live : a.worth > b.worth;
    });
    const auto rest = std::ranges::unique(sets_, {}, &Held::live);
    sets_.erase(rest.begin(), rest.end());
  }

  // Each set with the item and without it.
  bool branch(std::size_t index, Step phase) {
    const ChoiceItem& item = choice_.items[index];
    if (~used_ == 0) return false;
    slot_[index] = static_cast<std::size_t>(__builtin_ctzll(~used_));
    const std::uint64_t bit = 1ULL << slot_[index];
    used_ |= bit;
    const Signed gain = reduced(item);
    open_ -= std::max<Signed>(gain, 0);
    work_ += sets_.size();
    if (work_ > kMostWork) return false;
    std::vector<Held> next;
    for (const Held& set : sets_) {
      if (set.worth + open_ >= wanted_) next.push_back(set);
      const bool fits = item.bytes.count() <= choice_.capacity[phase].count() - set.load;
      if (!fits || set.worth + gain + open_ < wanted_) continue;
      next.push_back({set.live | bit, set.load + item.bytes.count(), set.worth + gain,
                      static_cast<std::uint32_t>(taken_.size())});
      taken_.push_back({static_cast<std::uint32_t>(index), set.history});
      if (next.size() > kMostSets || taken_.size() > kMostTaken) return false;
    }
    sets_ = std::move(next);
    return true;
  }

  // What the phase's capacity was thought to be worth gives way to what is held there.
  void pass(Step phase) {
    open_ -= worth_of(choice_.capacity[phase].count(), phase);
    const bool has_next = phase + 1 < choice_.capacity.size();
    std::erase_if(sets_, [&](Held& set) {
      set.worth += worth_of(set.load, phase);
      // A set that has outgrown the next phase's capacity has items that end before it, or goes.
      return set.worth + open_ < wanted_ || (has_next && outgrows(set, phase + 1));
    });
  }

  bool outgrows(const Held& set, Step next) const {
    std::uint64_t load = set.load;
    if (load <= choice_.capacity[next].count()) return false;
    for (std::size_t i = 0; i < choice_.items.size(); ++i) {
      const bool ends = phases(i).upper == next && slot_[i] < kSlots &&
                        (set.live >> slot_[i] & 1) != 0 && phases(i).contains(next - 1);
      if (ends) load -= choice_.items[i].bytes.count();
    }
    return load > choice_.capacity[next].count();
  }

  Walked best() const {
    Walked walked;
    const auto most = std::ranges::max_element(sets_, {}, &Held::worth);
    if (most == sets_.end()) return walked;
    walked.kept.assign(choice_.items.size(), false);
    walked.saved = static_cast<std::uint64_t>(most->worth / scale_);
    for (std::uint32_t at = most->history; at != 0; at = taken_[at].before) {
      walked.kept[taken_[at].item] = true;
    }
    return walked;
  }

  const Choice& choice_;
  Signed scale_;
  std::vector<std::uint64_t> price_;
  std::vector<Signed> before_;     // prices of the phases before
  Signed open_ = 0;                // what phases and items to come are worth at most
  Signed wanted_ = 0;              // the least that is of interest
  std::uint64_t used_ = 0;         // slots
  std::vector<std::size_t> slot_;  // by item
  std::vector<Held> sets_;
  std::vector<Taken> taken_;
  std::size_t work_ = 0;
};

}  // namespace

std::optional<Walked> walk(const Choice& choice, const PriceNode& prices, std::uint64_t least) {
  return Walk(choice, prices, least).run();
}

}  // namespace berth
