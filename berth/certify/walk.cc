#include "berth/certify/walk.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "berth/certify/core.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMostLive = 64;
constexpr std::size_t kMostSets = 1'000'000;
constexpr std::size_t kMostWork = 100'000'000;
constexpr std::uint64_t kLargest = 1ULL << 60;  // of what is added up, so that 128 bits hold it
constexpr std::uint64_t kLargestScale = 1ULL << 40;

struct Set {
  std::uint64_t live;  // a bit each of the places
  std::uint64_t saved;
};

class Walker {
 public:
  Walker(const Choice& choice, const std::vector<std::size_t>& items, const PriceNode& leaf,
         std::uint64_t claimed)
      : choice_(choice), leaf_(leaf), claimed_(claimed), items_(items) {
    std::ranges::sort(items_, [&](std::size_t a, std::size_t b) {
      return std::pair(item(a).phases.lower, a) < std::pair(item(b).phases.lower, b);
    });
  }

  std::variant<std::uint64_t, std::string> most() {
    if (items_.empty()) return claimed_;
    for (const std::size_t index : items_) {
      if (item(index).turns) return "a walk is of items that take no turns";
    }
    const std::vector<Step> phases = phases_that_can_overflow();
    if (phases.empty()) return std::max(claimed_, everything());
    if (const auto phase = deciding_phase(phases)) {
      return most_in_phase(choice_, items_, leaf_, *phase, claimed_, work_);
    }
    if (!is_within_limits()) return "a walk is of items that stay once, and of smaller numbers";
    prepare(phases);
    std::vector<Set> sets = {{0, 0}};
    std::size_t next = 0;
    for (const Step phase : phases) {
      leave(sets, phase);
      for (; next < items_.size() && item(items_[next]).phases.lower <= phase; ++next) {
        if (item(items_[next]).phases.upper <= phase) {
          keep(sets, items_[next]);
          continue;
        }
        if (!join(sets, items_[next])) return "more items live at a phase than a walk looks at";
        future_ -= at_most(items_[next]);
        drop_hopeless(sets, phase);
        if (sets.size() > kMostSets || work_ > kMostWork) {
          return "more sets than a walk looks at";
        }
      }
      drop_overfull(sets, phase);
      work_ += sets.size();
      if (work_ > kMostWork) return "more sets than a walk looks at";
    }
    for (; next < items_.size(); ++next) keep(sets, items_[next]);
    std::uint64_t most = claimed_;
    for (const Set& set : sets) most = std::max(most, set.saved);
    return most;
  }

  std::uint64_t work() const { return work_; }

 private:
  const ChoiceItem& item(std::size_t index) const { return choice_.items[index]; }

  bool is_within_limits() const {
    Wide prices = 0;
    for (const PhasePrice& it : leaf_.prices) prices += it.price;
    const bool small_choice =
        std::ranges::all_of(choice_.capacity, [](Bytes bytes) { return bytes.count() < kLargest; });
    return small_choice && prices < kLargest && leaf_.scale < kLargestScale &&
           claimed_ < kLargest && std::ranges::all_of(items_, [&](std::size_t index) {
             const ChoiceItem& it = item(index);
             return it.count == 1 && it.bytes.count() < kLargest && it.moved.count() < kLargest;
           });
  }

  // All of them; more than 64 bits hold reads as the most that they do.
  std::uint64_t everything() const {
    Wide sum = 0;
    for (const std::size_t index : items_)
      sum += Wide(item(index).moved.count()) * item(index).count;
    return static_cast<std::uint64_t>(std::min<Wide>(sum, UINT64_MAX));
  }

  // The phase in which all the items live, where it leaves no more room than any other of them: it
  // alone decides.
  std::optional<Step> deciding_phase(const std::vector<Step>& phases) const {
    if (phases.empty()) return std::nullopt;
    const auto least =
        std::ranges::min_element(phases, {}, [&](Step phase) { return choice_.capacity[phase]; });
    LiveRange all = {0, UINT64_MAX};  // the phases that every item sees
    for (const std::size_t i : items_) {
      all.lower = std::max<Step>(all.lower, item(i).phases.lower);
      all.upper = std::min<Step>(all.upper, item(i).phases.upper);
    }
    const auto found = std::ranges::find_if(phases, [&](Step phase) {
      return all.contains(phase) && choice_.capacity[phase] == choice_.capacity[*least];
    });
    return found == phases.end() ? std::nullopt : std::optional(*found);
  }

  // Prices of other phases than these are taken as nothing, as any prices may be.
  void prepare(const std::vector<Step>& phases) {
    // Of the phases from each one on: their prices, and their capacities at those.
    price_from_.assign(choice_.capacity.size() + 1, 0);
    room_from_.assign(choice_.capacity.size() + 1, 0);
    for (const PhasePrice& it : leaf_.prices) {
      if (std::ranges::binary_search(phases, it.phase)) price_from_[it.phase] = it.price;
    }
    for (std::size_t phase = choice_.capacity.size(); phase-- > 0;) {
      room_from_[phase] =
          room_from_[phase + 1] + price_from_[phase] * choice_.capacity[phase].count();
      price_from_[phase] += price_from_[phase + 1];
    }
    std::uint64_t unit = 0;
    for (const std::size_t index : items_) {
      future_ += at_most(index);
      unit = std::gcd(unit, item(index).moved.count());
    }
    // All that is saved is a multiple of the unit: the next one above what is claimed.
    unit = std::max<std::uint64_t>(unit, 1);
    wanted_ = (Wide(claimed_ / unit) + 1) * unit * leaf_.scale;
    places_.assign(kMostLive, nullptr);
  }

  // The others forbid nothing.
  std::vector<Step> phases_that_can_overflow() const {
    std::vector<Wide> begins(choice_.capacity.size() + 1, 0);
    std::vector<Wide> ends(choice_.capacity.size() + 1, 0);
    for (const std::size_t index : items_) {
      const Wide bytes = Wide(item(index).bytes.count()) * item(index).count;
      begins[item(index).phases.lower] += bytes;
      ends[item(index).phases.upper] += bytes;
    }
    std::vector<Step> phases;
    Wide load = 0;
    for (Step phase = 0; phase < choice_.capacity.size(); ++phase) {
      load += begins[phase] - ends[phase];
      if (load > choice_.capacity[phase].count()) phases.push_back(phase);
    }
    return phases;
  }

  // An item that no such phase sees stays.
  void keep(std::vector<Set>& sets, std::size_t index) {
    future_ -= at_most(index);
    for (Set& set : sets) set.saved += item(index).moved.count();
  }

  Wide prices(Step begin, Step end) const { return price_from_[begin] - price_from_[end]; }

  // What an item to come may be worth.
  Wide at_most(std::size_t index) const {
    const ChoiceItem& it = item(index);
    const Wide gain = Wide(it.moved.count()) * leaf_.scale;
    const Wide cost = it.bytes.count() * prices(it.phases.lower, it.phases.upper);
    return gain > cost ? gain - cost : 0;
  }

  // Items that ended take their bit with them; of sets that are then the same, the better stays.
  void leave(std::vector<Set>& sets, Step phase) {
    std::uint64_t gone = 0;
    for (std::size_t place = 0; place < places_.size(); ++place) {
      if (places_[place] == nullptr || places_[place]->phases.upper > phase) continue;
      gone |= std::uint64_t{1} << place;
      places_[place] = nullptr;
    }
    if (gone == 0) return;
    for (Set& set : sets) set.live &= ~gone;
    std::ranges::sort(sets, [](const Set& a, const Set& b) {
      return std::pair(a.live, b.saved) < std::pair(b.live, a.saved);
    });
    const auto same = std::ranges::unique(sets, {}, &Set::live);
    sets.erase(same.begin(), same.end());
  }

  // Each set also with the item.
  bool join(std::vector<Set>& sets, std::size_t index) {
    const auto free = std::ranges::find(places_, nullptr);
    if (free == places_.end()) return false;
    *free = &item(index);
    const std::uint64_t bit = std::uint64_t{1} << (free - places_.begin());
    const std::size_t before = sets.size();
    for (std::size_t i = 0; i < before; ++i) {
      sets.push_back({sets[i].live | bit, sets[i].saved + item(index).moved.count()});
    }
    work_ += sets.size();
    return true;
  }

  // Those that do not fit, or that the prices allow no more than what is claimed.
  void drop_hopeless(std::vector<Set>& sets, Step phase) const {
    std::erase_if(sets, [&](const Set& set) {
      Wide load = 0;
      Wide cost = 0;
      for (std::uint64_t rest = set.live; rest != 0; rest &= rest - 1) {
        const ChoiceItem& it = *places_[static_cast<std::size_t>(__builtin_ctzll(rest))];
        load += it.bytes.count();
        cost += it.bytes.count() * prices(phase, it.phases.upper);
      }
      if (load > choice_.capacity[phase].count()) return true;
      return Wide(set.saved) * leaf_.scale + room_from_[phase] + future_ < wanted_ + cost;
    });
  }

  void drop_overfull(std::vector<Set>& sets, Step phase) const {
    std::erase_if(sets, [&](const Set& set) {
      Wide load = 0;
      for (std::uint64_t rest = set.live; rest != 0; rest &= rest - 1) {
        load += places_[static_cast<std::size_t>(__builtin_ctzll(rest))]->bytes.count();
      }
      return load > choice_.capacity[phase].count();
    });
  }

  const Choice& choice_;
  const PriceNode& leaf_;
  std::uint64_t claimed_;
  std::vector<std::size_t> items_;  // by first phase
  std::vector<Wide> price_from_;
  std::vector<Wide> room_from_;
  Wide future_ = 0;
  Wide wanted_ = 0;
  std::vector<const ChoiceItem*> places_;
  std::uint64_t work_ = 0;
};

}  // namespace

std::variant<std::uint64_t, std::string> most_by_walking(const Choice& choice,
                                                         const std::vector<std::size_t>& items,
                                                         const PriceNode& leaf,
                                                         std::uint64_t claimed,
                                                         std::uint64_t& work) {
  Walker walker(choice, items, leaf, claimed);
  auto most = walker.most();
  work += walker.work();
  return most;
}

}  // namespace berth
