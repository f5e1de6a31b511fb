#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/plan/problem.h"

namespace berth {

// In which order a greedy packer places tasks. Big or long things first leave holes that small
// things fill. What has little to do with the peak can wait, so each order also comes behind the
// congestion: the tasks whose life sees the largest load go first. Networks are full of tasks of
// one size, so what breaks ties matters as much: the earliest start first, or the latest.
struct Order {
  enum class Key {
    Size,   // the largest extent first
    Life,   // the longest life first, then the largest extent
    Area,   // the most bytes x steps first
    Start,  // the earliest start first, or the latest end; then the largest extent
  };
  Key key = Key::Size;
  bool congestion_first = false;
  bool late_first = false;

  friend bool operator==(const Order&, const Order&) = default;
};

// "congestion-size-late".
std::string name(Order order);

// Every order there is, by name.
std::span<const Order> all_orders();

// Task indices in this order; tasks that tie keep the order of the instance's buffers.
std::vector<std::uint32_t> tasks_in_order(const Problem& problem, Order order);

}  // namespace berth
