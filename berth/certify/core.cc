#include "berth/certify/core.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMostHeld = 1'000'000;
constexpr std::size_t kMostNext = 8'000'000;  // before the better of them are kept
constexpr std::size_t kMostWork = 200'000'000;
constexpr std::uint64_t kLargestScale = 1ULL << 40;
constexpr std::uint64_t kLargestPrice = 1ULL << 62;
constexpr Wide kLargestSum = Wide(1) << 120;

// An item that may stay `low` to `high` times without losing too much.
struct Open {
  Wide bytes;
  Wide moved;  // times the scale
  std::uint64_t low;
  std::uint64_t high;
  Wide margin;   // between what it saves and what its bytes cost
  bool is_gain;  // it saves more
};

// Some of the items, decided.
struct Held {
  Wide load;
  Wide saved;  // times the scale
};

class PhaseCheck {
 public:
  PhaseCheck(const Choice& choice, const PriceNode& leaf, Step phase, std::uint64_t claimed)
      : choice_(choice),
        scale_(leaf.scale),
        capacity_(choice.capacity[phase].count()),
        claimed_(claimed) {
    for (const PhasePrice& it : leaf.prices) {
      if (it.phase == phase) price_ = it.price;
    }
  }

  std::variant<std::uint64_t, std::string> most(const std::vector<std::size_t>& items,
                                                std::uint64_t& all_work) {
    constexpr const char* kTooLarge = "its numbers are too large to be added up";
    if (scale_ > kLargestScale || price_ > kLargestPrice) return kTooLarge;
    if (!add_up(items)) return kTooLarge;
    if (ahead_ + price_ * capacity_ < wanted_) return claimed_;
    std::vector<Held> held = {decide(items)};
    if (held[0].load > capacity_) return claimed_;
    std::ranges::stable_sort(open_, std::ranges::greater(), &Open::margin);
    std::size_t work = 0;
    for (const Open& it : open_) {
      if (it.is_gain) ahead_ -= it.margin * it.high;
      const std::size_t looked_at =
          held.size() * std::min<std::uint64_t>(it.high - it.low, kMostHeld);
      work += looked_at;
      all_work += looked_at;
      if (it.high - it.low > kMostHeld || work > kMostWork) return "it looks at too many choices";
      if (!put(held, it) || held.size() > kMostHeld) return "it looks at too many choices";
    }
    std::uint64_t most = claimed_;
    for (const Held& it : held)
      most = std::max(most, static_cast<std::uint64_t>(it.saved / scale_));
    return most;
  }

 private:
  std::uint64_t fits(const ChoiceItem& item) const {
    if (item.bytes == Bytes(0)) return item.count;
    return std::min(item.count, static_cast<std::uint64_t>(capacity_ / item.bytes.count()));
  }
  Wide gain_of(const ChoiceItem& item) const { return scale_ * item.moved.count(); }
  Wide cost_of(const ChoiceItem& item) const { return price_ * item.bytes.count(); }

  // What all may save at most by the price, beside the capacity's own.
  bool add_up(const std::vector<std::size_t>& items) {
    std::uint64_t unit = 0;
    Wide sum = 0;
    for (const std::size_t index : items) {
      const ChoiceItem& item = choice_.items[index];
      unit = std::gcd(unit, item.moved.count());
      Wide all = 0;
      if (__builtin_mul_overflow(gain_of(item), Wide(fits(item)), &all)) return false;
      if (all > kLargestSum || sum + all > kLargestSum) return false;
      sum += all;
      if (gain_of(item) > cost_of(item)) {
        ahead_ += (gain_of(item) - cost_of(item)) * fits(item);
      }
    }
    unit = std::max<std::uint64_t>(unit, 1);
    wanted_ = (Wide(claimed_ / unit) + 1) * unit * scale_;
    return wanted_ < kLargestSum && sum / scale_ <= UINT64_MAX;
  }

  // Items that lose too much otherwise do what the price says; the others stay open.
  Held decide(const std::vector<std::size_t>& items) {
    const Wide slack = ahead_ + price_ * capacity_ - wanted_;
    Held held{0, 0};
    for (const std::size_t index : items) {
      const ChoiceItem& item = choice_.items[index];
      const bool is_gain = gain_of(item) > cost_of(item);
      const Wide margin = is_gain ? gain_of(item) - cost_of(item) : cost_of(item) - gain_of(item);
      const std::uint64_t most = fits(item);
      const auto otherwise = static_cast<std::uint64_t>(
          margin == 0 ? Wide(most) : std::min<Wide>(most, slack / margin));
      if (otherwise > 0) {
        open_.push_back({item.bytes.count(), gain_of(item), is_gain ? most - otherwise : 0,
                         is_gain ? most : otherwise, margin, is_gain});
      } else if (is_gain) {
        held.load += Wide(item.bytes.count()) * most;
        held.saved += gain_of(item) * most;
        ahead_ -= margin * most;
      }
    }
    return held;
  }

  // Each with every number of times that the item may stay, the best of them by load. False where
  // those are too many.
  bool put(std::vector<Held>& held, const Open& item) const {
    std::vector<Held> next;
    for (std::uint64_t times = item.low; times <= item.high; ++times) {
      for (const Held& it : held) {
        const Held with = {it.load + item.bytes * times, it.saved + item.moved * times};
        if (with.load > capacity_) break;  // by load: the others are too large as well
        if (with.saved + price_ * (capacity_ - with.load) + ahead_ < wanted_) continue;
        if (next.size() == kMostNext) return false;
        next.push_back(with);
      }
    }
    std::ranges::sort(next, [](const Held& a, const Held& b) {
      return a.load != b.load ? a.load < b.load : a.saved > b.saved;
    });
    held.clear();
    for (const Held& it : next) {
      if (held.empty() || held.back().saved < it.saved) held.push_back(it);
    }
    return true;
  }

  const Choice& choice_;
  Wide scale_;
  Wide price_ = 0;
  Wide capacity_;
  std::uint64_t claimed_;
  Wide wanted_ = 0;  // the least that is of interest
  Wide ahead_ = 0;   // what the items to come may save beyond what their bytes cost
  std::vector<Open> open_;
};

}  // namespace

std::variant<std::uint64_t, std::string> most_in_phase(const Choice& choice,
                                                       const std::vector<std::size_t>& items,
                                                       const PriceNode& leaf, Step phase,
                                                       std::uint64_t claimed, std::uint64_t& work) {
  return PhaseCheck(choice, leaf, phase, claimed).most(items, work);
}

}  // namespace berth
