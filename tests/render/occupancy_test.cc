#include "berth/render/occupancy.h"

#include <gtest/gtest.h>

#include "tests/render/plans.h"

namespace berth {
namespace {

using test::arena;
using test::buffer;

TEST(Occupancy, TheLoadCurveStepsWhereBuffersStartAndEnd) {
  const auto occupancy = occupancy_of(test::five_boxes());
  EXPECT_EQ(occupancy[0].load,
            (std::vector<LoadStep>{{0, Bytes(12)}, {9, Bytes(8)}, {21, Bytes(0)}}));
  EXPECT_EQ(occupancy[0].top, Bytes(12));
}

TEST(Occupancy, LargestLoadIsWhatACheckedPlanClaims) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100; ++i) {
    const Plan plan = test::random_sound_plan(random);
    const auto occupancy = occupancy_of(plan);
    for (std::size_t a = 0; a < plan.arenas.size(); ++a) {
      LoadStep highest;
      for (const LoadStep& at : occupancy[a].load) {
        if (at.load > highest.load) highest = at;
      }
      EXPECT_EQ(highest.load, plan.arenas[a].figures.max_load);
      EXPECT_EQ(highest.step, plan.arenas[a].figures.peak_step);
    }
  }
}

TEST(Occupancy, AnyMutantGivesOneToo) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 50; ++i) {
    const Plan plan = test::random_sound_plan(random);
    for (int j = 0; j < 50; ++j) {
      const Plan mutant = test::mutant_of(plan, random);
      EXPECT_EQ(occupancy_of(mutant).size(), mutant.arenas.size());
    }
  }
}

TEST(HolesAt, AreWhatNobodyHolds) {
  const Plan plan = test::plan_of(
      arena(10), {buffer("a", {0, 2}, 2, 1), buffer("b", {0, 2}, 3, 5), buffer("c", {1, 2}, 9, 1)});
  const auto occupancy = occupancy_of(plan);
  EXPECT_EQ(holes_at(occupancy[0], 0, Bytes(10)),
            (std::vector<ByteRange>{{0, 1}, {3, 5}, {8, 10}}));
  EXPECT_EQ(holes_at(occupancy[0], 1, Bytes(10)), (std::vector<ByteRange>{{0, 1}}));
}

}  // namespace
}  // namespace berth
