#include "berth/pipeline/lay_out.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::Life;
using test::program_of;
using test::target_of;

Layouts laid_out(const Deployment& deployment, const Target& target) {
  const auto demand = deployment_demand(deployment, target).value();
  const Residency plan = plan_deployment(deployment, target, demand, Running::OneAtATime);
  EXPECT_TRUE(plan.feasible());
  const auto answer = lay_out(deployment, target, demand, plan);
  EXPECT_TRUE(answer) << to_string(answer.error());
  EXPECT_TRUE(std::holds_alternative<Layouts>(*answer));
  return std::get<Layouts>(*answer);
}

Layout laid_out(const std::vector<Life>& lives, std::uint64_t sram) {
  const Deployment deployment{.programs = {{.name = "p", .program = program_of(lives)}}};
  return laid_out(deployment, target_of(sram)).at(0).at(0);
}

// Its sums reach 5, and no placement is lower than 6.
const std::vector<Life> kFragmented = {{0, 0, 2}, {0, 1, 3}, {1, 3, 1}, {1, 4, 1},
                                       {2, 4, 2}, {4, 7, 2}, {6, 7, 3}};

TEST(LayOut, SumsAreNotAddresses) {
  const Layout at_six = laid_out(kFragmented, 6);
  EXPECT_TRUE(at_six.fits);
  EXPECT_EQ(at_six.arena, Bytes(6));
  EXPECT_TRUE(at_six.forced_out.empty());

  const Layout at_five = laid_out(kFragmented, 5);
  EXPECT_TRUE(at_five.fits);
  EXPECT_EQ(at_five.max_load, Bytes(5));
  EXPECT_LE(at_five.arena, Bytes(5));
  // The cheapest of all: two bytes are moved, of one byte.
  EXPECT_EQ(at_five.forced_out, std::vector<TensorId>{TensorId(2)});
  EXPECT_EQ(at_five.forced_traffic, Bytes(2));
  EXPECT_EQ(at_five.places.size(), 6u);
}

TEST(LayOut, StatesAndBuffersTakeTheirRoomFirst) {
  Deployment deployment{
      .programs = {{.name = "p", .program = program_of({{0, 1, 30}, {1, 2, 30}})}}};
  Program& program = deployment.programs[0].program;
  program.buffers = {{.bytes = Bytes(40)}};
  program.tensors.push_back({.name = "s", .kind = TensorKind::State, .bytes = Bytes(10)});
  program.phases[0].accesses.push_back({.tensor = TensorId(2), .bytes = Bytes(10)});
  const Layout layout = laid_out(deployment, target_of(110)).at(0).at(0);
  EXPECT_EQ(layout.room, Bytes(60));
  EXPECT_EQ(layout.arena, Bytes(60));
}

TEST(LayOut, WhatMustStayMayHaveNoLayout) {
  Deployment deployment{.programs = {{.name = "p", .program = program_of(kFragmented)}}};
  for (Tensor& tensor : deployment.programs[0].program.tensors) tensor.pinned = true;
  const Layout layout = laid_out(deployment, target_of(5)).at(0).at(0);
  EXPECT_FALSE(layout.fits);
  EXPECT_EQ(layout.arena, Bytes(6));
}

TEST(LayOut, AlignmentIsKept) {
  const Deployment deployment{
      .programs = {{.name = "p", .program = program_of({{0, 1, 3}, {0, 1, 5}, {1, 2, 7}})}}};
  Target target = target_of(100);
  target.chips[0].alignment = *Alignment::of(16);
  const Layout layout = laid_out(deployment, target).at(0).at(0);
  for (const PlacedTensor& it : layout.places) EXPECT_EQ(it.offset.value() % 16, 0u);
}

}  // namespace
}  // namespace berth
