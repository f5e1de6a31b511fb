#include "berth/render/capacity_report.h"

#include <gtest/gtest.h>

#include "tests/render/golden.h"
#include "tests/render/plans.h"

namespace berth {
namespace {

using test::arena;
using test::buffer;

// Fixed 600 of 1000; a and b are live at step 7.
Plan too_full() {
  Plan plan =
      test::plan_of(arena(500, 7), {buffer("a", {3, 8}, 300, 0), buffer("b", {7, 9}, 200, 300)});
  plan.arenas[0].capacity = Bytes(1000);
  plan.arenas[0].reserve = Bytes(600);
  return plan;
}

TEST(CapacityReport, SaysWhoIsLiveAndHowMuchIsMissing) {
  test::expect_golden("too_full.report.txt", capacity_report(too_full(), 0));
}

TEST(CapacityReport, NobodyIsToldToSpillWhatStandsAtAGivenPlace) {
  Plan plan =
      test::plan_of(arena(1100, 7), {buffer("io", {0, 10}, 600, 0), buffer("a", {5, 8}, 300, 600),
                                     buffer("b", {7, 9}, 200, 900)});
  plan.arenas[0].capacity = Bytes(1000);
  plan.buffers[0].fixed = Offset(0);
  EXPECT_NE(capacity_report(plan, 0).find("spill or shrink a 300 first"), std::string::npos)
      << capacity_report(plan, 0);
  for (PlannedBuffer& it : plan.buffers) it.fixed = it.offset;
  EXPECT_EQ(capacity_report(plan, 0).find("spill"), std::string::npos);
}

TEST(CapacityReport, IsEmptyWhereThePlanFitsExactlyOrNoCapacityIsGiven) {
  Plan plan = too_full();
  plan.arenas[0].capacity = Bytes(1100);
  EXPECT_EQ(capacity_report(plan, 0), "");
  plan.arenas[0].capacity = Bytes(1099);
  EXPECT_NE(capacity_report(plan, 0), "");
  plan.arenas[0].capacity.reset();
  EXPECT_EQ(capacity_report(plan, 0), "");
}

TEST(CapacityReport, SaysRequiredAvailableAndExcess) {
  Plan plan = test::plan_of(arena(2162688), {buffer("scratch", {0, 1}, 2162688, 0)});
  plan.arenas[0].capacity = Bytes(2097152);
  test::expect_golden("one_too_large.report.txt", capacity_report(plan, 0));
}

TEST(CapacityReport, TellsACutUpMemoryFromAFullOne) {
  Plan plan = test::plan_of(
      arena(500, 0),
      {buffer("a", {0, 9}, 100, 0), buffer("b", {0, 9}, 200, 150), buffer("c", {4, 6}, 100, 400)});
  plan.arenas[0].figures.max_load = plan.arenas[0].figures.max_load_unpadded = Bytes(400);
  plan.arenas[0].figures.lower_bound = Bytes(400);
  plan.arenas[0].figures.peak_step = 4;
  plan.arenas[0].capacity = Bytes(400);
  test::expect_golden("cut_up.report.txt", capacity_report(plan, 0));
}

TEST(CapacityReport, SaysHowMuchMoreMustGoWhereTheLargestIsNotEnough) {
  Plan plan = too_full();
  plan.arenas[0].capacity = Bytes(700);
  const std::string report = capacity_report(plan, 0);
  EXPECT_NE(report.find("spill or shrink a 300 first: 100 more must follow it"), std::string::npos)
      << report;
}

}  // namespace
}  // namespace berth
