#include "berth/render/time_axis.h"

#include <gtest/gtest.h>

#include "tests/render/plans.h"

namespace berth {
namespace {

using test::arena;
using test::buffer;

TimeAxis axis_of(const Plan& plan) {
  return TimeAxis(occupancy_of(plan));
}

TEST(TimeAxis, AShortClockIsDrawnToScale) {
  const TimeAxis axis = axis_of(test::five_boxes());
  EXPECT_FALSE(axis.merged());
  EXPECT_EQ(axis.steps(), (LiveRange{0, 21}));
  EXPECT_EQ(axis.position(3, 2100), 300);
  EXPECT_EQ(axis.position(21, 2100), 2100);
  EXPECT_EQ(axis.column(5), (LiveRange{5, 6}));
}

TEST(TimeAxis, ALongClockHasAColumnForEachStretchInWhichNothingChanges) {
  constexpr Step end = ~Step{0};
  const TimeAxis axis =
      axis_of(test::plan_of(arena(8), {buffer("a", {0, 1000}, 4, 0), buffer("b", {1000, end}, 4, 0),
                                       buffer("c", {end - 1, end}, 4, 4)}));
  EXPECT_TRUE(axis.merged());
  EXPECT_EQ(axis.position(1000, 300), 100);
  EXPECT_EQ(axis.position(500, 300), 0);
  EXPECT_EQ(axis.position(end, 300), 300);
  EXPECT_EQ(axis.column(5000), (LiveRange{1000, end - 1}));
  EXPECT_TRUE(axis.column(end).empty());
}

TEST(TimeAxis, WithoutBuffersItIsEmpty) {
  const TimeAxis axis = axis_of(Plan());
  EXPECT_TRUE(axis.steps().empty());
  EXPECT_EQ(axis.position(7, 100), 0);
}

TEST(Scaled, IsExactForLargeValues) {
  constexpr std::uint64_t top = ~std::uint64_t{0};
  EXPECT_EQ(scaled(top, top, 98400), 98400);
  EXPECT_EQ(scaled(top / 2, top, 1000), 499);
}

}  // namespace
}  // namespace berth
