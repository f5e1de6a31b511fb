#include "berth/plan/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <string_view>

namespace berth {
namespace {

__extension__ using Area = unsigned __int128;  // bytes x steps, each up to 64 bits

// What goes first compares lower; `Rank`s of different tasks are never equal.
struct Rank {
  std::uint64_t congestion = 0;
  Area first = 0;
  std::uint64_t second = 0;
  std::uint64_t time = 0;
  std::uint32_t task = 0;

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Makes the largest the lowest.
template <typename Number>
Number down(Number number) {
  return static_cast<Number>(~number);
}

Area area(const Task& task) {
  return static_cast<Area>(task.extent) * task.life;
}

Rank rank(const Task& task, std::uint32_t index, Order order) {
  const std::uint64_t start = task.slots.lower;
  const std::uint64_t end = task.slots.upper;
  Rank rank;
  if (order.congestion_first) rank.congestion = down(task.congestion);
  rank.time = order.late_first ? down(start) : start;
  rank.task = index;
  switch (order.key) {
    case Order::Key::Size:
      rank.first = down(Area{task.extent});
      break;
    case Order::Key::Life:
      rank.first = down(Area{task.life});
      rank.second = down(task.extent);
      break;
    case Order::Key::Area:
      rank.first = down(area(task));
      break;
    case Order::Key::Start:
      rank.first = order.late_first ? down(end) : start;
      rank.second = down(task.extent);
      break;
  }
  return rank;
}

struct NamedKey {
  std::string_view name;
  Order::Key key;
};

constexpr std::array<NamedKey, 4> kKeys = {{{"size", Order::Key::Size},
                                            {"life", Order::Key::Life},
                                            {"area", Order::Key::Area},
                                            {"start", Order::Key::Start}}};

std::vector<Order> list_orders() {
  std::vector<Order> orders;
  for (const bool congestion_first : {false, true}) {
    for (const NamedKey& key : kKeys) {
      for (const bool late_first : {false, true}) {
        orders.push_back({key.key, congestion_first, late_first});
      }
    }
  }
  return orders;
}

}  // namespace

std::string name(Order order) {
  const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                [&](const NamedKey& named) { return named.key == order.key; });
  return fmt::format("{}{}{}", order.congestion_first ? "congestion-" : "", key->name,
                     order.late_first ? "-late" : "");
}

std::span<const Order> all_orders() {
  static const std::vector<Order> orders = list_orders();
  return orders;
}

std::vector<std::uint32_t> tasks_in_order(const Problem& problem, Order order) {
  const auto tasks = problem.tasks();
  std::vector<Rank> ranks;
  ranks.reserve(tasks.size());
  for (std::uint32_t i = 0; i < tasks.size(); ++i) ranks.push_back(rank(tasks[i], i, order));
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::uint32_t> order_of_tasks;
  order_of_tasks.reserve(ranks.size());
  for (const Rank& r : ranks) order_of_tasks.push_back(r.task);
  return order_of_tasks;
}

}  // namespace berth
