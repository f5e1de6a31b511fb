#include "berth/certify/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "berth/certify/walk.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr Wide kWidest = ~Wide(0);

// Sums that stay at the top once they reach it: too much is no bound, and so no wrong one.
Wide add(Wide a, Wide b) {
  Wide sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kWidest : sum;
}
Wide multiply(Wide a, Wide b) {
  Wide product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kWidest : product;
}

constexpr const char* kTooMuch = "with it, the prices take more work than a file may ask for";

// The least of any stretch of values, each power of two of it looked up.
class Least {
 public:
  explicit Least(std::vector<std::uint64_t> values) {
    levels_.push_back(std::move(values));
    for (std::size_t half = 1; 2 * half <= levels_[0].size(); half *= 2) {
      const auto& below = levels_.back();
      std::vector<std::uint64_t> level(levels_[0].size() - 2 * half + 1);
      for (std::size_t i = 0; i < level.size(); ++i) {
        level[i] = std::min(below[i], below[i + half]);
      }
      levels_.push_back(std::move(level));
    }
  }
  std::uint64_t in(std::size_t begin, std::size_t end) const {
    const auto level = static_cast<std::size_t>(std::bit_width(end - begin) - 1);
    return std::min(levels_[level][begin], levels_[level][end - (std::size_t{1} << level)]);
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

class PartCheck {
 public:
  // `least`: of the choice's capacities. `work` grows by what is looked at.
  PartCheck(const Choice& choice, const Least& least, const PricePart& part, std::uint64_t& work)
      : choice_(choice), least_(least), part_(part), work_(work) {
    find_spans();
    for (const std::size_t item : part.items) {
      places_.push_back(places_of(choice.items[item]));
      low_.push_back(0);
      high_.push_back(choice.items[item].count);
    }
  }

  // The most that the part's items save, or what is wrong with the tree.
  // Nothing past `most_work`.
  std::variant<Wide, PriceFault> most(std::uint64_t most_work) {
    if (auto fault = find_fault()) return *std::move(fault);
    if (part_.walk) return most_of_walk();
    const auto leaves = static_cast<std::uint64_t>(
        std::ranges::count_if(part_.nodes, [](const PriceNode& node) { return !node.branch; }));
    const std::uint64_t each = part_.items.size() + width() * std::bit_width(width());
    if (Wide(leaves) * each + work_ > most_work) return fault(0, kTooMuch);
    work_ += leaves * each;
    Wide most = 0;
    walk([&] { most = std::max(most, leaf(part_.nodes[at_])); });
    return most;
  }

 private:
  const ChoiceItem& item(std::size_t local) const { return choice_.items[part_.items[local]]; }

  // Phases that some item of the part sees, in stretches in which nothing begins or ends and no
  // phase has a price; one that has is a stretch alone. Of a stretch the least capacity decides.
  struct Span {
    LiveRange phases;
    std::uint64_t capacity = 0;
  };
  void find_spans() {
    std::vector<LiveRange> ranges;
    for (const std::size_t index : part_.items) {
      for (const LiveRange range : choice_.items[index].ranges()) {
        if (!range.empty()) ranges.push_back(range);
      }
    }
    std::vector<Step> cuts;
    for (const LiveRange range : ranges) cuts.insert(cuts.end(), {range.lower, range.upper});
    for (const PriceNode& node : part_.nodes) {
      for (const PhasePrice& price : node.prices) {
        cuts.push_back(price.phase);
        if (price.phase < choice_.capacity.size()) cuts.push_back(price.phase + 1);
      }
    }
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    std::ranges::sort(ranges, {}, &LiveRange::lower);
    Step seen = 0;  // up to which the items so far see phases
    auto range = ranges.begin();
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const LiveRange phases = {cuts[i], cuts[i + 1]};
      for (; range != ranges.end() && range->lower <= phases.lower; ++range) {
        seen = std::max(seen, range->upper);
      }
      if (seen >= phases.upper) spans_.push_back({phases, least_.in(phases.lower, phases.upper)});
    }
  }
  std::size_t width() const { return spans_.size(); }
  // The place of the stretch that begins there, or where one would stand; one past the last.
  std::size_t place_from(Step phase) const {
    const auto found = std::ranges::lower_bound(spans_, phase, {},
                                                [](const Span& span) { return span.phases.lower; });
    return static_cast<std::size_t>(found - spans_.begin());
  }
  // Of a phase with a price; nothing where none of the items sees it.
  std::optional<std::size_t> place_of(Step phase) const {
    const std::size_t place = place_from(phase);
    if (place == width() || spans_[place].phases.lower != phase) return std::nullopt;
    return place;
  }
  struct Places {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // An item's ranges, by place.
  std::vector<Places> places_of(const ChoiceItem& item) const {
    std::vector<Places> places;
    for (const LiveRange range : item.ranges()) {
      if (!range.empty()) places.push_back({place_from(range.lower), place_from(range.upper)});
    }
    return places;
  }

  std::variant<Wide, PriceFault> most_of_walk() const {
    if (part_.nodes[0].branch) return fault(0, "a walk needs prices alone");
    auto most = most_by_walking(choice_, part_.items, part_.nodes[0], *part_.walk, work_);
    if (auto* why = std::get_if<std::string>(&most)) return PriceFault{"walk", std::move(*why)};
    return Wide(std::get<std::uint64_t>(most));
  }

  std::optional<PriceFault> find_fault() {
    for (std::size_t i = 0; i < part_.items.size(); ++i) local_.emplace_back(part_.items[i], i);
    std::ranges::sort(local_);
    std::vector<bool> reached(part_.nodes.size(), false);
    if (part_.nodes.empty()) return fault(0, "a part needs a node");
    reached[0] = true;
    for (std::size_t i = 0; i < part_.nodes.size(); ++i) {
      if (!reached[i]) return fault(i, "no branch leads to it");
      const PriceNode& node = part_.nodes[i];
      if (auto found = node.branch ? branch_fault(i, *node.branch, reached) : leaf_fault(i, node)) {
        return found;
      }
    }
    return std::nullopt;
  }

  std::optional<PriceFault> branch_fault(std::size_t index, const PriceBranch& branch,
                                         std::vector<bool>& reached) const {
    if (!local_of(branch.item)) return fault(index, "branches on an item that is not of this part");
    for (const std::size_t child : {branch.below, branch.above}) {
      if (child <= index || child >= part_.nodes.size() || reached[child]) {
        return fault(index, "its children must stand after it, each in one place");
      }
      reached[child] = true;
    }
    return std::nullopt;
  }

  std::optional<PriceFault> leaf_fault(std::size_t index, const PriceNode& node) const {
    if (node.scale == 0) return fault(index, "a scale of 0 proves nothing");
    for (std::size_t i = 0; i < node.prices.size(); ++i) {
      const Step phase = node.prices[i].phase;
      const bool is_after = i == 0 || node.prices[i - 1].phase < phase;
      if (!is_after || phase >= choice_.capacity.size()) {
        return fault(index, "its phases must exist and stand in order");
      }
    }
    return std::nullopt;
  }

  static PriceFault fault(std::size_t node, std::string message) {
    return {fmt::format("nodes[{}]", node), std::move(message)};
  }

  std::optional<std::size_t> local_of(std::size_t index) const {
    const auto found = std::ranges::lower_bound(local_, std::pair(index, std::size_t{0}));
    if (found == local_.end() || found->first != index) return std::nullopt;
    return found->second;
  }

  // Calls `visit` at each leaf, with low_ and high_ as the branches above it say.
  template <typename Visit>
  void walk(const Visit& visit) {
    struct Frame {
      std::size_t node;
      int side = 0;  // of its branch: 0 before, 1 below, 2 above
      std::uint64_t saved_low = 0;
      std::uint64_t saved_high = 0;
    };
    std::vector<Frame> open = {{0}};
    while (!open.empty()) {
      Frame& frame = open.back();
      at_ = frame.node;
      const auto& branch = part_.nodes[at_].branch;
      if (!branch) {
        visit();
        open.pop_back();
        continue;
      }
      const std::size_t local = *local_of(branch->item);
      if (frame.side == 0) {
        frame.saved_low = low_[local];
        frame.saved_high = high_[local];
      }
      low_[local] = frame.saved_low;
      high_[local] = frame.saved_high;
      if (frame.side == 2) {
        open.pop_back();
        continue;
      }
      if (frame.side++ == 0) {
        high_[local] = std::min(high_[local], branch->most);
        open.push_back({branch->below});
      } else if (branch->most == UINT64_MAX) {
        continue;  // nothing stays more often than that
      } else {
        low_[local] = std::max(low_[local], branch->most + 1);
        open.push_back({branch->above});
      }
    }
  }

  // What is left of each phase's capacity; nothing where what must stay does not fit.
  std::optional<std::vector<std::uint64_t>> left() const {
    std::vector<Wide> starts(width() + 1, 0);
    std::vector<Wide> ends(width() + 1, 0);
    for (std::size_t i = 0; i < low_.size(); ++i) {
      if (low_[i] > high_[i]) return std::nullopt;
      const Wide bytes = multiply(item(i).bytes.count(), low_[i]);
      if (bytes == 0) continue;
      for (const auto [begin, end] : places_[i]) {
        starts[begin] += bytes;
        ends[end] += bytes;
      }
    }
    std::vector<std::uint64_t> left;
    left.reserve(width());
    Wide load = 0;
    for (const auto& [phases, capacity] : spans_) {
      load += starts[left.size()] - ends[left.size()];
      if (load > capacity) return std::nullopt;
      left.push_back(capacity - static_cast<std::uint64_t>(load));
    }
    return left;
  }

  Wide leaf(const PriceNode& node) const {
    if (width() == 0) return 0;
    const auto room = left();
    if (!room) return 0;  // no choice lies here
    const Least least(*room);

    std::vector<Wide> price_before(width() + 1, 0);
    for (const PhasePrice& price : node.prices) {
      if (const auto place = place_of(price.phase)) price_before[*place + 1] = price.price;
    }
    std::partial_sum(price_before.begin(), price_before.end(), price_before.begin());

    std::uint64_t moved_unit = 0;
    std::uint64_t bytes_unit = 0;
    Wide sum = 0;
    for (std::size_t i = 0; i < low_.size(); ++i) {
      const ChoiceItem& it = item(i);
      std::uint64_t more = high_[i] - low_[i];
      Wide price = 0;
      for (const auto [begin, end] : places_[i]) {
        if (it.bytes > Bytes(0)) more = std::min(more, least.in(begin, end) / it.bytes.count());
        price += price_before[end] - price_before[begin];
      }
      sum = add(sum, multiply(multiply(it.moved.count(), node.scale), low_[i]));
      if (low_[i] > 0 || more > 0) moved_unit = std::gcd(moved_unit, it.moved.count());
      if (more == 0) continue;
      bytes_unit = std::gcd(bytes_unit, it.bytes.count());
      const Wide gain = multiply(it.moved.count(), node.scale);
      const Wide cost = multiply(it.bytes.count(), price);
      if (gain > cost) sum = add(sum, multiply(gain - cost, more));
    }
    for (std::size_t i = 0; i < width(); ++i) {
      const std::uint64_t usable = bytes_unit == 0 ? 0 : (*room)[i] / bytes_unit * bytes_unit;
      sum = add(sum, multiply(usable, price_before[i + 1] - price_before[i]));
    }
    if (moved_unit == 0) return 0;
    return sum / node.scale / moved_unit * moved_unit;
  }

  const Choice& choice_;
  const Least& least_;
  const PricePart& part_;
  std::uint64_t& work_;
  std::vector<Span> spans_;
  std::vector<std::vector<Places>> places_;  // by place in part_.items
  std::vector<std::uint64_t> low_;           // by place in part_.items
  std::vector<std::uint64_t> high_;
  std::vector<std::pair<std::size_t, std::size_t>> local_;  // item, place
  std::size_t at_ = 0;
};

}  // namespace

PriceVerdict check_prices(const Choice& choice, const Prices& prices, std::uint64_t most_work) {
  std::vector<std::uint64_t> capacity;
  for (const Bytes bytes : choice.capacity) capacity.push_back(bytes.count());
  const Least least(std::move(capacity));
  std::uint64_t work = 0;
  std::vector<bool> in_part(choice.items.size(), false);
  Wide total = 0;
  for (std::size_t i = 0; i < prices.parts.size(); ++i) {
    for (const std::size_t item : prices.parts[i].items) {
      if (item >= in_part.size() || in_part[item]) {
        return PriceFault{fmt::format("parts[{}].items", i),
                          fmt::format("item {} does not exist, or stands in two places", item)};
      }
      in_part[item] = true;
    }
    // A walk looks at all capacities first.
    if (prices.parts[i].walk) work += choice.capacity.size();
    if (work > most_work) return PriceFault{fmt::format("parts[{}]", i), kTooMuch};
    const auto most = PartCheck(choice, least, prices.parts[i], work).most(most_work);
    if (const auto* fault = std::get_if<PriceFault>(&most)) {
      return PriceFault{fmt::format("parts[{}].{}", i, fault->where), fault->message};
    }
    total = add(total, std::get<Wide>(most));
  }
  Wide everything = 0;
  for (std::size_t i = 0; i < choice.items.size(); ++i) {
    const Wide all = multiply(choice.items[i].moved.count(), choice.items[i].count);
    everything = add(everything, all);
    if (!in_part[i]) total = add(total, all);
  }
  // All that there is, is a bound too; and what items save that go together fits.
  return ProvedBound{
      Bytes(static_cast<std::uint64_t>(std::min({total, everything, Wide(UINT64_MAX)})))};
}

std::optional<Bytes> saved_by(const Choice& choice, const std::vector<std::uint64_t>& kept) {
  if (kept.size() != choice.items.size()) return std::nullopt;
  std::vector<Wide> change(choice.capacity.size() + 1, 0);
  Wide saved = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const ChoiceItem& item = choice.items[i];
    if (kept[i] > item.count) return std::nullopt;
    saved += Wide(item.moved.count()) * kept[i];
    for (const LiveRange range : item.ranges()) {
      change[range.lower] += Wide(item.bytes.count()) * kept[i];
      change[range.upper] -= Wide(item.bytes.count()) * kept[i];
    }
  }
  Wide load = 0;
  for (std::size_t i = 0; i < choice.capacity.size(); ++i) {
    load += change[i];
    if (load > choice.capacity[i].count()) return std::nullopt;
  }
  if (saved > UINT64_MAX) return std::nullopt;
  return Bytes(static_cast<std::uint64_t>(saved));
}

}  // namespace berth
