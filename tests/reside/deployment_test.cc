#include "berth/reside/deployment.h"

#include <gtest/gtest.h>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::program_of;
using test::target_of;

TensorId add_state(Program& program, const std::string& name, std::uint64_t bytes,
                   std::uint64_t moved) {
  const TensorId id(program.tensors.size());
  program.tensors.push_back({.name = name, .kind = TensorKind::State, .bytes = Bytes(bytes)});
  program.phases.at(0).accesses.push_back({.tensor = id, .bytes = Bytes(moved)});
  return id;
}

// A program that holds `bytes` at once, with a table of 50.
DeployedProgram with_table(const std::string& name, std::uint64_t bytes) {
  DeployedProgram deployed{.name = name, .program = program_of({{0, 0, bytes}})};
  add_state(deployed.program, "table", 50, 50);
  deployed.carried.emplace();
  return deployed;
}

TEST(Deployment, TheLargestProgramIsTheReserveWithTheTablesThatFit) {
  const Deployment deployment{.programs = {with_table("P", 300), with_table("Q", 980)}};
  const auto plan = plan_deployment(deployment, target_of(1000)).value();
  EXPECT_EQ(plan.chips[0].reserve, Bytes(980));
  EXPECT_EQ(plan.chips[0].room(), Bytes(20));
  EXPECT_TRUE(plan.programs[0].tables[0].on_chip);
  EXPECT_FALSE(plan.programs[1].tables[0].on_chip);
  EXPECT_EQ(plan.off_chip().tables, Bytes(50));
  EXPECT_TRUE(plan.classes.empty());
  const auto together = plan_deployment(deployment, target_of(1000), Running::Together).value();
  EXPECT_EQ(together.chips[0].reserve, Bytes(1330));
  EXPECT_FALSE(together.feasible());
}

TEST(Deployment, EveryStateIsCarriedUnlessItIsSaidWhich) {
  DeployedProgram deployed{.name = "gdn", .layers = 3, .program = program_of({{0, 0, 10}})};
  const TensorId s = add_state(deployed.program, "s", 20, 40);
  add_state(deployed.program, "t", 30, 30);
  const auto all = plan_deployment({.programs = {deployed}}, target_of(100)).value();
  ASSERT_EQ(all.classes.size(), 2u);
  EXPECT_EQ(all.classes[0].state, (StateClass{"gdn", "s", ChipId(0), 3, Bytes(20), Bytes(40)}));
  EXPECT_EQ(all.chips[0].states, Bytes(60));
  EXPECT_EQ(all.off_chip().states, Bytes(90));
  deployed.carried = {s};
  const auto one = plan_deployment({.programs = {deployed}}, target_of(100)).value();
  EXPECT_EQ(one.chips[0].reserve, Bytes(40));
  EXPECT_EQ(one.chips[0].states, Bytes(60));
  EXPECT_EQ(one.off_chip().total(), Bytes(0));
}

TEST(Deployment, WithoutReachStatesGoDownTheTiers) {
  Target target = target_of(1000);
  target.any_site_reaches_any = false;
  target.chips[0].sites = {{2, Bytes(1000)}};
  const Deployment deployment{.given =
                                  GivenStates{{}, {{"p", "s", ChipId(0), 2, Bytes(5), Bytes(5)}}}};
  EXPECT_EQ(plan_deployment(deployment, target).value().classes[0].tier, Tier::Dram);
  target.chips[0].hbm = Bytes(10);
  EXPECT_EQ(plan_deployment(deployment, target).value().classes[0].tier, Tier::Hbm);
}

TEST(Deployment, ABufferPastItsSiteIsNamed) {
  DeployedProgram deployed{.name = "p"};
  deployed.program.buffers = {{.site = 1, .offset = Offset(90), .bytes = Bytes(20)}};
  Target target = target_of(1000);
  target.chips[0].sites = {{1, Bytes(500)}, {1, Bytes(100)}};
  const auto plan = plan_deployment({.programs = {deployed}}, target).value();
  ASSERT_EQ(plan.obstacles.size(), 1u);
  EXPECT_EQ(plan.obstacles[0].kind, Obstacle::Kind::BufferPastSite);
  EXPECT_EQ(plan.obstacles[0].site, 1u);
  EXPECT_EQ(plan.obstacles[0].needed, Bytes(110));
  EXPECT_EQ(plan.obstacles[0].available, Bytes(100));
}

TEST(Deployment, SumsPastTheirRangeAreRefusedWithTheirPlace) {
  DeployedProgram deployed{.name = "p", .layers = 1ULL << 40, .program = program_of({{0, 0, 1}})};
  add_state(deployed.program, "s", 1ULL << 30, 1);
  const auto plan = plan_deployment({.programs = {deployed}}, target_of(1));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().where, "programs[0].layers");
}

TEST(Deployment, ChipsArePlannedApart) {
  DeployedProgram deployed{.name = "p", .program = program_of({{0, 1, 30}, {0, 1, 30}})};
  deployed.program.tensors[1].chip = ChipId(1);
  Target target = target_of(30);
  target.chips.push_back(target.chips[0]);
  const auto plan = plan_deployment({.programs = {deployed}}, target).value();
  EXPECT_EQ(plan.off_chip().total(), Bytes(0));
  EXPECT_EQ(plan.chips[1].reserve, Bytes(30));
}

}  // namespace
}  // namespace berth
