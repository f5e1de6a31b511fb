#include "berth/reside/reasons.h"

#include <gtest/gtest.h>

#include "berth/reside/best.h"
#include "berth/reside/tiers.h"
#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::program_of;
using test::target_of;

const Deployment kDeployment{
    .programs = {{.name = "p", .program = program_of({{0, 5, 20}, {1, 3, 30}, {2, 4, 20}})}}};

TEST(SpillReasons, SayWhoElseWasLiveAndFromWhereOnItStays) {
  const Target target = target_of(60);
  const auto demand = deployment_demand(kDeployment, target).value();
  const Residency plan = plan_deployment(kDeployment, target, demand, Running::OneAtATime);
  const auto reasons = spill_reasons(kDeployment, target, demand, plan);
  ASSERT_EQ(reasons[0].size(), 1u);
  const SpillReason& reason = reasons[0][0];
  EXPECT_EQ(reason.phase, 2u);
  EXPECT_EQ(reason.short_by, Bytes(10));
  EXPECT_EQ(reason.beside, (std::vector{TensorId(1), TensorId(2)}));
  EXPECT_EQ(reason.stays_from, Bytes(70));
}

TEST(SpillReasons, OfTheBestAreThoseOfTheTightestPhase) {
  const Target target = target_of(60);
  const auto demand = deployment_demand(kDeployment, target).value();
  const Residency rule = plan_deployment(kDeployment, target, demand, Running::OneAtATime);
  const Residency plan = plan_best(kDeployment, target, demand, rule, {}).plan;
  const auto reasons = spill_reasons(kDeployment, target, demand, plan);
  ASSERT_EQ(reasons[0].size(), 1u);
  EXPECT_EQ(reasons[0][0].short_by, Bytes(10));
  EXPECT_EQ(reasons[0][0].stays_from, std::nullopt);
  EXPECT_EQ(reasons[0][0].beside.size(), 2u);
}

TEST(TrafficByTier, GoesWhereTensorsWereDeclaredOrToTheNextTierDown) {
  Deployment deployment = kDeployment;
  Target target = target_of(1);
  const auto traffic = [&] {
    return traffic_by_tier(deployment, target, plan_deployment(deployment, target).value())[0];
  };
  EXPECT_EQ(traffic().dram, Bytes(140));
  EXPECT_EQ(traffic().dram_nanoseconds, std::nullopt);
  target.chips[0].hbm = Bytes(1);
  target.chips[0].hbm_speed = 3'000'000'000;
  EXPECT_EQ(traffic().hbm, Bytes(140));
  EXPECT_EQ(traffic().hbm_nanoseconds, 47u);  // 46.7
  deployment.programs[0].program.tensors[1].tier = Tier::Dram;
  EXPECT_EQ(traffic().hbm, Bytes(80));
  EXPECT_EQ(traffic().dram, Bytes(60));
}

}  // namespace
}  // namespace berth
