#include "berth/live/deployment_lives.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth {
namespace {

using Kind = TensorAccess::Kind;

// A weight, an input, an intermediate and a state over two phases.
Deployment deployed(std::uint64_t layers) {
  Program program{.name = "p",
                  .tensors = {{.name = "w", .kind = TensorKind::Weight, .bytes = Bytes(8)},
                              {.name = "x", .kind = TensorKind::Input, .bytes = Bytes(4)},
                              {.name = "h", .bytes = Bytes(2)},
                              {.name = "s", .kind = TensorKind::State, .bytes = Bytes(1)}}};
  program.phases = {{"a", {{TensorId(0), Kind::Read}, {TensorId(1), Kind::Read}}},
                    {"b", {{TensorId(2), Kind::Write}}}};
  Deployment deployment{.name = "d"};
  deployment.programs.push_back({.name = "p", .layers = layers, .program = std::move(program)});
  return deployment;
}

std::vector<std::string> names(const DeploymentLives& lives) {
  std::vector<std::string> names;
  for (const StoredTensor& it : lives.tensors) names.push_back(it.name);
  return names;
}

TEST(DeploymentLives, OneLayerOfOneProgramKeepsItsNames) {
  const auto lives = deployment_lives(deployed(1)).value();
  EXPECT_EQ(names(lives), (std::vector<std::string>{"w", "x", "h", "s"}));
  EXPECT_EQ(lives.step_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(lives.tensors[2].life, (LiveRange{1, 2}));
  EXPECT_EQ(lives.tensors[3].life, (LiveRange{0, 2}));  // touched by nobody, and carried
}

TEST(DeploymentLives, LayersHaveTheirOwnWeightsAndStatesAndTakeTurnsOnInputs) {
  const auto lives = deployment_lives(deployed(2)).value();
  EXPECT_EQ(names(lives), (std::vector<std::string>{"p[0].w", "p.x", "p[0].h", "p[0].s", "p[1].w",
                                                    "p[1].h", "p[1].s"}));
  EXPECT_EQ(lives.tensors[5].life, (LiveRange{3, 4}));
  EXPECT_EQ(lives.tensors[1].life, (LiveRange{0, 4}));
}

TEST(DeploymentLives, AStateThatIsNotCarriedIsThereForItsRunAlone) {
  Deployment deployment = deployed(2);
  deployment.programs[0].carried.emplace();
  deployment.programs[0].program.phases[0].accesses.push_back({TensorId(3), Kind::Write});
  const auto lives = deployment_lives(deployment).value();
  EXPECT_EQ(lives.tensors.back().as, StoredAs::Table);
  EXPECT_EQ(lives.tensors.back().life, (LiveRange{2, 4}));
}

TEST(DeploymentLives, WhatNoPhaseTouchesIsKeptApart) {
  Deployment deployment = deployed(1);
  deployment.programs[0].program.phases.clear();
  const auto lives = deployment_lives(deployment).value();
  EXPECT_EQ(names(lives), (std::vector<std::string>{"s"}));
  ASSERT_EQ(lives.kept.size(), 3u);
  EXPECT_EQ(lives.kept[0].why, KeptWhy::Constant);
  EXPECT_EQ(lives.kept[1].why, KeptWhy::Unused);
  EXPECT_EQ(lives.steps(), 1u);
}

TEST(DeploymentLives, LayersWithoutEndAreALimit) {
  const auto lives = deployment_lives(deployed(UINT64_MAX));
  ASSERT_FALSE(lives);
  EXPECT_EQ(lives.error().kind, Error::Kind::Limit);
}

}  // namespace
}  // namespace berth
