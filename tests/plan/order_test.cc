#include "berth/plan/order.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "bench/generate.h"

namespace berth {
namespace {

// By index: 0 is long and small, 1 and 2 are large twins, one after the other, 3 is the least and
// shares the busiest step with 2.
Problem four_tasks() {
  std::vector<Buffer> buffers = {generate::buffer(0, 10, {0, 20}), generate::buffer(1, 50, {0, 4}),
                                 generate::buffer(2, 50, {4, 8}), generate::buffer(3, 5, {6, 8})};
  return Problem::of_each_device(generate::on_one_device(buffers))[0];
}

std::string order_by(const char* wanted) {
  for (const Order order : all_orders()) {
    if (name(order) != wanted) continue;
    std::string text;
    for (const auto task : tasks_in_order(four_tasks(), order)) text += std::to_string(task);
    return text;
  }
  return "no such order";
}

TEST(Order, PutsTheLargestTheLongestOrTheEarliestFirst) {
  EXPECT_EQ(order_by("size"), "1203");
  EXPECT_EQ(order_by("life"), "0123");
  EXPECT_EQ(order_by("area"), "0123");
  EXPECT_EQ(order_by("start"), "1023");
}

TEST(Order, OfTasksThatTieTheLatestIsFirstWhereItSaysSo) {
  EXPECT_EQ(order_by("size-late"), "2103");
  EXPECT_EQ(order_by("life-late"), "0213");
  EXPECT_EQ(order_by("start-late"), "0231");
}

TEST(Order, BehindTheCongestionWhatMakesThePeakIsFirst) {
  EXPECT_EQ(order_by("congestion-size"), "2031");
  EXPECT_EQ(order_by("congestion-life"), "0231");
}

TEST(Order, TwinsKeepTheOrderOfTheInstance) {
  std::vector<Buffer> buffers = {generate::buffer(0, 4, {0, 2}), generate::buffer(1, 4, {0, 2}),
                                 generate::buffer(2, 4, {0, 2})};
  const auto problem = Problem::of_each_device(generate::on_one_device(buffers))[0];
  for (const Order order : all_orders()) {
    EXPECT_EQ(tasks_in_order(problem, order), (std::vector<std::uint32_t>{0, 1, 2}));
  }
}

TEST(Order, AreaIsExactPast64Bits) {
  std::vector<Buffer> buffers = {
      generate::buffer(0, std::uint64_t{1} << 40, {0, std::uint64_t{1} << 30}),
      generate::buffer(1, std::uint64_t{1} << 40, {0, std::uint64_t{1} << 31})};
  const auto problem = Problem::of_each_device(generate::on_one_device(buffers))[0];
  EXPECT_EQ(tasks_in_order(problem, {Order::Key::Area, false, false}),
            (std::vector<std::uint32_t>{1, 0}));
}

TEST(Order, NamesAreUnique) {
  std::set<std::string> names;
  for (const Order order : all_orders()) names.insert(name(order));
  EXPECT_EQ(names.size(), all_orders().size());
}

}  // namespace
}  // namespace berth
