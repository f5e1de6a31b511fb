#include "berth/reside/search.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "berth/reside/core.h"
#include "berth/reside/relaxation.h"
#include "berth/reside/walk.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// Scales that prices are rounded at: the first that proves as much as the last does is taken.
constexpr std::uint64_t kScales[] = {1, 1ULL << 16, 1ULL << 32};
constexpr std::size_t kBeforeWalk = 64;   // nodes
constexpr std::size_t kNodeSize = 1'000;  // items and phases that a node's effort is enough for
constexpr double kLargestPrice = 9e18;
constexpr Wide kWidest = ~Wide(0);

// Sums that stay at the top once they reach it.
Wide add(Wide a, Wide b) {
  Wide sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kWidest : sum;
}
Wide multiply(Wide a, Wide b) {
  Wide product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kWidest : product;
}

// How often each item must and may stay, in a part of the tree.
struct Limits {
  std::vector<std::uint64_t> low;
  std::vector<std::uint64_t> high;
};

std::uint64_t saved(const Choice& choice, const std::vector<std::uint64_t>& kept) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) sum += choice.items[i].moved.count() * kept[i];
  return sum;
}

// What is left of each capacity beside what is kept; nothing where that does not fit.
std::optional<std::vector<std::uint64_t>> room_beside(const Choice& choice,
                                                      const std::vector<std::uint64_t>& kept) {
  std::vector<Wide> change(choice.capacity.size() + 1, 0);  // modulo 2^128
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0) continue;
    const Wide bytes = Wide(choice.items[i].bytes.count()) * kept[i];
    for (const LiveRange range : choice.items[i].ranges()) {
      change[range.lower] += bytes;
      change[range.upper] -= bytes;
    }
  }
  Wide load = 0;
  std::vector<std::uint64_t> room;
  room.reserve(choice.capacity.size());
  for (std::size_t phase = 0; phase < choice.capacity.size(); ++phase) {
    load += change[phase];
    if (load > choice.capacity[phase].count()) return std::nullopt;
    room.push_back(choice.capacity[phase].count() - static_cast<std::uint64_t>(load));
  }
  return room;
}

// A tree of minima over the room of each phase: what a stretch of phases has left, and taking from
// it.
class Rooms {
 public:
  explicit Rooms(const std::vector<std::uint64_t>& room) {
    while (size_ < room.size()) size_ *= 2;
    least_.assign(2 * size_, UINT64_MAX);
    taken_.assign(2 * size_, 0);
    std::ranges::copy(room, least_.begin() + static_cast<std::ptrdiff_t>(size_));
    for (std::size_t i = size_ - 1; i > 0; --i)
      least_[i] = std::min(least_[2 * i], least_[2 * i + 1]);
  }

  std::uint64_t least(const ChoiceItem& item) const {
    std::uint64_t least = UINT64_MAX;
    for (const LiveRange range : item.ranges()) {
      if (!range.empty()) least = std::min(least, this->least(1, 0, size_, range));
    }
    return least;
  }
  void take(const ChoiceItem& item, std::uint64_t bytes) {
    for (const LiveRange range : item.ranges()) {
      if (!range.empty()) take(1, 0, size_, range, bytes);
    }
  }

 private:
  // Depth is the logarithm of the number of phases.
  std::uint64_t least(std::size_t node, Step begin, Step end, LiveRange phases) const {
    if (phases.upper <= begin || end <= phases.lower) return UINT64_MAX;
    if (phases.lower <= begin && end <= phases.upper) return least_[node];
    const Step middle = (begin + end) / 2;
    const std::uint64_t below =
        std::min(least(2 * node, begin, middle, phases), least(2 * node + 1, middle, end, phases));
    return below - taken_[node];
  }
  void take(std::size_t node, Step begin, Step end, LiveRange phases, std::uint64_t bytes) {
    if (phases.upper <= begin || end <= phases.lower) return;
    if (phases.lower <= begin && end <= phases.upper) {
      taken_[node] += bytes;
      least_[node] -= bytes;
      return;
    }
    const Step middle = (begin + end) / 2;
    take(2 * node, begin, middle, phases, bytes);
    take(2 * node + 1, middle, end, phases, bytes);
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) - taken_[node];
  }

  std::size_t size_ = 1;
  std::vector<std::uint64_t> least_;  // of the stretch, what its own node took taken off
  std::vector<std::uint64_t> taken_;
};

// Adds to what is kept whatever still fits, in the order given.
void fill(const Choice& choice, const Limits& limits, const std::vector<std::size_t>& order,
          std::vector<std::uint64_t>& kept) {
  Rooms rooms(room_beside(choice, kept).value());
  for (const std::size_t i : order) {
    const ChoiceItem& item = choice.items[i];
    if (kept[i] >= limits.high[i]) continue;
    const std::uint64_t fits = rooms.least(item) / item.bytes.count();
    const std::uint64_t more = std::min(limits.high[i] - kept[i], fits);
    if (more == 0) continue;
    kept[i] += more;
    rooms.take(item, item.bytes.count() * more);
  }
}

// Items by what they save a byte, the densest first.
std::vector<std::size_t> by_density(const Choice& choice) {
  std::vector<std::size_t> order(choice.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const ChoiceItem& x = choice.items[a];
    const ChoiceItem& y = choice.items[b];
    return Wide(x.moved.count()) * y.bytes.count() > Wide(y.moved.count()) * x.bytes.count();
  });
  return order;
}

// The most that any choice within the limits saves, by prices that are rounded to integers. Where
// the limits leave no choice at all: nothing.
class LeafBound {
 public:
  // Narrows limits.high to what fits beside what must stay.
  LeafBound(const Choice& choice, Limits& limits)
      : choice_(choice), limits_(limits), room_(room_beside(choice, limits.low)) {
    if (!room_) return;
    const Rooms rooms(*room_);
    for (std::size_t i = 0; i < limits.low.size(); ++i) {
      const ChoiceItem& item = choice.items[i];
      if (limits.low[i] > limits.high[i]) {
        room_.reset();
        return;
      }
      const std::uint64_t more =
          std::min(limits.high[i] - limits.low[i], rooms.least(item) / item.bytes.count());
      limits.high[i] = limits.low[i] + more;
      if (more > 0) bytes_unit_ = std::gcd(bytes_unit_, item.bytes.count());
      if (limits.high[i] > 0) moved_unit_ = std::gcd(moved_unit_, item.moved.count());
    }
  }

  bool is_empty() const { return !room_; }

  Wide operator()(const PriceNode& node) const {
    if (moved_unit_ == 0) return 0;
    std::vector<std::uint64_t> price(choice_.capacity.size(), 0);
    for (const PhasePrice& it : node.prices) price[it.phase] = it.price;
    std::vector<Wide> before(price.size() + 1, 0);
    Wide sum = 0;
    for (std::size_t phase = 0; phase < price.size(); ++phase) {
      before[phase + 1] = before[phase] + price[phase];
      const std::uint64_t usable =
          bytes_unit_ == 0 ? 0 : (*room_)[phase] / bytes_unit_ * bytes_unit_;
      sum = add(sum, multiply(usable, price[phase]));
    }
    for (std::size_t i = 0; i < limits_.low.size(); ++i) {
      const ChoiceItem& item = choice_.items[i];
      const Wide gain = multiply(item.moved.count(), node.scale);
      sum = add(sum, multiply(gain, limits_.low[i]));
      Wide prices = 0;
      for (const LiveRange range : item.ranges())
        prices += before[range.upper] - before[range.lower];
      const Wide cost = multiply(item.bytes.count(), prices);
      if (gain > cost) sum = add(sum, multiply(gain - cost, limits_.high[i] - limits_.low[i]));
    }
    return sum / node.scale / moved_unit_ * moved_unit_;
  }

 private:
  const Choice& choice_;
  const Limits& limits_;
  std::optional<std::vector<std::uint64_t>> room_;
  std::uint64_t bytes_unit_ = 0;
  std::uint64_t moved_unit_ = 0;
};

PriceNode rounded(const std::vector<double>& prices, std::uint64_t scale) {
  PriceNode node{.scale = scale};
  for (std::size_t phase = 0; phase < prices.size(); ++phase) {
    const double price = std::round(prices[phase] * static_cast<double>(scale));
    if (!(price > 0)) continue;
    node.prices.push_back({phase, static_cast<std::uint64_t>(std::min(price, kLargestPrice))});
  }
  return node;
}

class Search {
 public:
  Search(const Choice& choice, std::vector<std::uint64_t> start, std::uint64_t& effort)
      : choice_(choice),
        relaxation_(choice),
        by_density_(by_density(choice)),
        effort_(effort),
        node_cost_(1 + (choice.items.size() + choice.capacity.size()) / kNodeSize),
        best_(std::move(start)),
        best_saved_(saved(choice, best_)) {}

  Found run() {
    Limits all;
    all.low.assign(choice_.items.size(), 0);
    for (const ChoiceItem& item : choice_.items) all.high.push_back(item.count);
    fill(choice_, all, by_density_, best_);
    best_saved_ = saved(choice_, best_);
    // A small tree says more than a walk; of many items there is none.
    const bool has_many = choice_.items.size() > kBeforeWalk;
    bool has_walked = choice_.capacity.size() == 1 && has_many;
    if (has_walked && walk_one_phase(all)) return walked();
    add_node(std::nullopt, {});
    const PriceNode root = nodes_[0];
    while (is_open()) {
      const bool is_long = nodes_.size() >= kBeforeWalk || effort_ == 0;
      if (is_long && !std::exchange(has_walked, true)) {
        const bool is_settled =
            choice_.capacity.size() == 1 ? walk_one_phase(all) : walk_with(root);
        if (is_settled) return walked();
      }
      if (effort_ == 0) break;
      const Open next = open_.top();
      open_.pop();
      branch(next.node);
    }
    const Wide bound = is_open() ? open_.top().bound : best_saved_;
    if (walk_ && walk_->most <= bound) return walked();
    return {std::move(best_), std::move(nodes_), std::nullopt, bound <= best_saved_};
  }

 private:
  bool is_open() const { return !open_.empty() && open_.top().bound > best_saved_; }

  // The same of one phase, whose price needs no linear program.
  bool walk_one_phase(Limits limits) {
    const LeafBound bound(choice_, limits);
    PriceNode price;
    Wide least = kWidest;
    for (const std::uint64_t scale : kScales) {
      PriceNode rounded_price = rounded({price_of_one_phase()}, scale);
      const Wide most = bound(rounded_price);
      if (most < least) price = std::move(rounded_price);
      least = std::min(least, most);
    }
    auto packed = pack_core(choice_, price, best_);
    if (!packed) return false;
    best_saved_ = packed->saved;
    best_ = std::move(packed->kept);
    walk_ = {std::move(price), packed->most};
    return packed->most == best_saved_;
  }

  Found walked() {
    return {std::move(best_), {std::move(walk_->price)}, walk_->most, walk_->most == best_saved_};
  }

  // What a byte saves in the densest item that no longer fits beside all that are denser.
  double price_of_one_phase() const {
    std::uint64_t room = choice_.capacity[0].count();
    for (const std::size_t i : by_density_) {
      const ChoiceItem& item = choice_.items[i];
      if (room / item.bytes.count() < item.count) {
        return static_cast<double>(item.moved.count()) / static_cast<double>(item.bytes.count());
      }
      room -= item.bytes.count() * item.count;
    }
    return 0;
  }

  // Whether a walk settled it.
  bool walk_with(const PriceNode& root) {
    const auto walked = walk(choice_, root, best_saved_);
    if (!walked) return false;
    if (walked->saved > best_saved_) {
      best_saved_ = walked->saved;
      best_.assign(walked->kept.begin(), walked->kept.end());
    }
    walk_ = {root, best_saved_};
    return true;
  }

  // No choice saves more than `most`, which a walk with the price proves.
  struct WalkProof {
    PriceNode price;
    std::uint64_t most = 0;
  };

  struct Open {
    Wide bound;
    std::size_t node;

    // The deeper one first among equals.
    bool operator<(const Open& other) const {
      return std::tie(bound, node) < std::tie(other.bound, other.node);
    }
  };
  // What a branch says of one item.
  struct Side {
    std::size_t item = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  struct Inner {
    std::optional<std::size_t> parent;
    Side step;
    std::size_t item = 0;  // to branch on
    std::uint64_t most = 0;
  };

  Limits limits_of(std::size_t node) const {
    Limits limits;
    limits.low.assign(choice_.items.size(), 0);
    for (const ChoiceItem& item : choice_.items) limits.high.push_back(item.count);
    for (std::optional<std::size_t> at = node; inner_[*at].parent; at = inner_[*at].parent) {
      const Side& step = inner_[*at].step;
      limits.low[step.item] = std::max(limits.low[step.item], step.low);
      limits.high[step.item] = std::min(limits.high[step.item], step.high);
    }
    return limits;
  }

  // A node of the tree, with its prices and its bound; what cannot be better than the best is not
  // opened.
  std::size_t add_node(std::optional<std::size_t> parent, Side step) {
    const std::size_t index = nodes_.size();
    nodes_.emplace_back();
    inner_.push_back({parent, step});
    effort_ -= std::min(effort_, node_cost_);
    Limits limits = limits_of(index);
    const LeafBound bound(choice_, limits);
    if (bound.is_empty()) return index;

    auto answer = relaxation_.solve(limits.low, limits.high);
    if (!answer.solved) answer = {true, {limits.low.begin(), limits.low.end()}, last_prices_};
    last_prices_ = answer.price;
    if (last_prices_.empty()) last_prices_.assign(choice_.capacity.size(), 0);
    try_rounding(limits, answer.kept);
    const Wide most = put_prices(index, bound);
    if (most <= best_saved_) return index;
    if (!choose_branch(index, limits, answer.kept)) return index;
    open_.push({most, index});
    return index;
  }

  Wide put_prices(std::size_t index, const LeafBound& bound) {
    Wide least = kWidest;
    for (const std::uint64_t scale : kScales)
      least = std::min(least, bound(rounded(last_prices_, scale)));
    for (const std::uint64_t scale : kScales) {
      nodes_[index] = rounded(last_prices_, scale);
      const Wide most = bound(nodes_[index]);
      // Whatever closes the node will do.
      if (most == least || most <= best_saved_) return most;
    }
    return least;
  }

  void try_rounding(const Limits& limits, const std::vector<double>& kept) {
    std::vector<std::uint64_t> rounded_down(kept.size());
    std::vector<double> rest(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const double whole = std::floor(kept[i] + 1e-7);
      const auto times = whole > 0 ? static_cast<std::uint64_t>(whole) : 0;
      rounded_down[i] = std::clamp(times, limits.low[i], limits.high[i]);
      rest[i] = kept[i] - static_cast<double>(rounded_down[i]);
    }
    if (!room_beside(choice_, rounded_down)) rounded_down = limits.low;
    auto order = by_density_;
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
    fill(choice_, limits, order, rounded_down);
    const std::uint64_t sum = saved(choice_, rounded_down);
    if (sum <= best_saved_) return;
    best_saved_ = sum;
    best_ = std::move(rounded_down);
  }

  // The item whose part that stays is worth most, where it is a part; otherwise the one that may
  // still go either way and is worth most. False where nothing is open.
  bool choose_branch(std::size_t index, const Limits& limits, const std::vector<double>& kept) {
    std::optional<std::size_t> chosen;
    double weight = 0;
    bool is_part = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (limits.low[i] == limits.high[i]) continue;
      const double part = kept[i] - std::floor(kept[i]);
      const bool is_open = std::min(part, 1 - part) > 1e-7;
      const double worth = static_cast<double>(choice_.items[i].moved.count()) *
                           (is_open ? std::min(part, 1 - part) : 1);
      if (chosen && std::pair(is_open, worth) <= std::pair(is_part, weight)) continue;
      chosen = i;
      weight = worth;
      is_part = is_open;
    }
    if (!chosen) return false;
    const double whole = std::max(0.0, std::floor(kept[*chosen] + 1e-9));
    inner_[index].item = *chosen;
    inner_[index].most = std::clamp(static_cast<std::uint64_t>(whole), limits.low[*chosen],
                                    limits.high[*chosen] - 1);
    return true;
  }

  void branch(std::size_t index) {
    const std::size_t item = inner_[index].item;
    const std::uint64_t most = inner_[index].most;
    const std::size_t below = add_node(index, {item, 0, most});
    const std::size_t above = add_node(index, {item, most + 1, UINT64_MAX});
    nodes_[index] = PriceNode{.branch = PriceBranch{item, most, below, above}};
  }

  const Choice& choice_;
  Relaxation relaxation_;
  std::vector<std::size_t> by_density_;
  std::uint64_t& effort_;
  std::uint64_t node_cost_;  // of the effort: a large linear program counts for more
  std::vector<std::uint64_t> best_;
  std::uint64_t best_saved_ = 0;
  std::vector<PriceNode> nodes_;
  std::vector<Inner> inner_;  // by node
  std::priority_queue<Open> open_;
  std::vector<double> last_prices_;
  std::optional<WalkProof> walk_;
};

}  // namespace

Found search(const Choice& choice, std::vector<std::uint64_t> start, std::uint64_t& effort) {
  return Search(choice, std::move(start), effort).run();
}

}  // namespace berth
