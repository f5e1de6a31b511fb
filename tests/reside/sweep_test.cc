#include "berth/reside/sweep.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::Life;
using test::program_of;
using test::target_of;

struct SweepPoint {
  Bytes sram;
  Residency plan;
};

std::vector<SweepPoint> points(const Deployment& deployment, SweepRange range) {
  const Target target = target_of(1);
  const auto demand = deployment_demand(deployment, target).value();
  std::vector<SweepPoint> points;
  EXPECT_TRUE(each_rule_change(deployment, target, demand, range, 1000,
                               [&](Bytes sram, const Residency& plan) {
                                 points.push_back({sram, plan});
                               }));
  return points;
}

std::uint64_t traffic(const Residency& plan) {
  return plan.off_chip().total().count();
}

TEST(Sweep, ShowsThatTheRuleIsNotMonotone) {
  const Deployment deployment{
      .programs = {{.name = "p",
                    .program = program_of(
                        {{0, 3, 40}, {1, 5, 30}, {2, 4, 30, 90}, {4, 6, 50}, {5, 6, 20}})}}};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> steps;
  for (const SweepPoint& point : points(deployment, {Bytes(20), std::nullopt})) {
    if (!steps.empty() && steps.back().second == traffic(point.plan)) continue;
    steps.emplace_back(point.sram.count(), traffic(point.plan));
  }
  EXPECT_EQ(steps,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                {20, 330}, {30, 240}, {40, 250}, {70, 160}, {80, 60}, {100, 100}, {110, 0}}));
}

Deployment random_deployment(std::mt19937_64& random) {
  Deployment deployment;
  for (const char* name : {"p", "q"}) {
    std::vector<Life> lives(random() % 6);
    for (Life& life : lives) {
      life.first = random() % 5;
      life.last = life.first + random() % 4;
      life.bytes = random() % 20;
    }
    DeployedProgram deployed{.name = name, .layers = random() % 3, .program = program_of(lives)};
    Program& program = deployed.program;
    program.phases.resize(std::max<std::size_t>(program.phases.size(), 1));
    program.buffers = {{.bytes = Bytes(random() % 10)}};
    deployed.carried.emplace();
    for (std::uint64_t i = random() % 4; i > 0; --i) {
      const TensorId id(program.tensors.size());
      program.tensors.push_back({.name = "s" + std::to_string(i),
                                 .kind = TensorKind::State,
                                 .bytes = Bytes(random() % 10)});
      program.phases[0].accesses.push_back({.tensor = id, .bytes = Bytes(random() % 30)});
      if (random() % 2 == 0) deployed.carried->push_back(id);
    }
    deployment.programs.push_back(std::move(deployed));
  }
  return deployment;
}

// Every decision: what stays of each program, its tables too, and the tier of each class.
using Kept = std::pair<std::vector<std::vector<bool>>, std::vector<Tier>>;

Kept kept(const Residency& plan) {
  Kept kept;
  for (const ProgramResidency& program : plan.programs) kept.first.push_back(program.on_chip);
  for (const ClassResidency& it : plan.classes) kept.second.push_back(it.tier);
  return kept;
}

TEST(Sweep, MeetsEveryChange) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 300; ++round) {
    const Deployment deployment = random_deployment(random);
    const auto found = points(deployment, {Bytes(1), Bytes(150)});
    const auto demand = deployment_demand(deployment, target_of(1)).value();
    auto at = found.begin();
    for (std::uint64_t sram = 1; sram <= 150; ++sram) {
      while (at + 1 != found.end() && (at + 1)->sram <= Bytes(sram)) ++at;
      const Residency plan = plan_deployment(deployment, with_sram(target_of(1), Bytes(sram)),
                                             demand, Running::OneAtATime);
      ASSERT_EQ(traffic(at->plan), traffic(plan)) << round << " at " << sram;
      ASSERT_EQ(kept(at->plan), kept(plan)) << round << " at " << sram;
    }
  }
}

TEST(StaysFrom, IsTheLeastSramThatKeepsASpill) {
  const Deployment deployment{
      .programs = {{.name = "p", .program = program_of({{0, 5, 20}, {1, 3, 30}, {2, 4, 20}})}}};
  const auto demand = deployment_demand(deployment, target_of(60)).value();
  const auto plan = plan_deployment(deployment, target_of(60), demand, Running::OneAtATime);
  ASSERT_EQ(plan.programs[0].spilled.size(), 1u);
  const auto least = stays_from(deployment, target_of(60), demand, plan);
  EXPECT_EQ(least[0][0], Bytes(70));
}

TEST(WithSram, GivesEachChipThatMuch) {
  Target target = target_of(10);
  target.chips.push_back({.sites = {{4, Bytes(5)}}, .reserved = Bytes(3)});
  for (const std::uint64_t sram : {0U, 7U, 20U, 50U}) {
    const Target result = with_sram(target, Bytes(sram));
    EXPECT_EQ(result.chips[0].sram(), Bytes(sram));
    EXPECT_EQ(result.chips[1].sram(), Bytes(sram));
    EXPECT_GE(result.chips[1].site_count(), 4u);
  }
}

}  // namespace
}  // namespace berth
