#include "berth/reside/activations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::Life;
using test::program_of;
using test::target_of;

using Pushed = std::vector<std::pair<std::size_t, Step>>;  // tensor, phase

Activations placed(const Program& program, const Target& target) {
  const auto result = place_activations(program, target);
  EXPECT_TRUE(result) << to_string(result.error());
  return result.value_or(Activations());
}

Pushed pushed(const std::vector<Life>& lives, std::uint64_t capacity) {
  Pushed list;
  for (const Spill& spill : placed(program_of(lives), target_of(capacity)).spilled) {
    list.emplace_back(spill.tensor.index(), spill.phase.value());
  }
  return list;
}

std::uint64_t traffic(const std::vector<Life>& lives, std::uint64_t capacity) {
  std::uint64_t sum = 0;
  for (const auto& [tensor, phase] : pushed(lives, capacity)) {
    sum += lives[tensor].moved.value_or(2 * lives[tensor].bytes);
  }
  return sum;
}

Bytes footprint(const Program& program, const Target& target) {
  const auto demand = program_demand(program, target).value();
  return sram_footprint(program, demand, placed(program, target).on_chip)[0];
}

// P1 to P10 of the worked examples.
const std::vector<Life> kTouching = {{0, 1, 30}, {1, 2, 30}, {2, 3, 30}};

TEST(Activations, ALoadEqualToTheRoomFits) {
  EXPECT_EQ(pushed(kTouching, 60), Pushed());
  Program program = program_of(kTouching);
  program.buffers = {{.bytes = Bytes(40)}};
  EXPECT_EQ(placed(program, target_of(100)).spilled.size(), 0u);
  EXPECT_EQ(footprint(program, target_of(100)), Bytes(100));
}

TEST(Activations, AByteLessPushesOutTheFurthestLastUse) {
  EXPECT_EQ(pushed(kTouching, 59), (Pushed{{1, 1}}));
  EXPECT_EQ(traffic(kTouching, 59), 60u);
  EXPECT_EQ(footprint(program_of(kTouching), target_of(59)), Bytes(30));
  const std::vector<Life> lives = {{0, 5, 20}, {1, 3, 30}, {2, 4, 20}};
  EXPECT_EQ(pushed(lives, 60), (Pushed{{0, 2}}));
  EXPECT_EQ(footprint(program_of(lives), target_of(60)), Bytes(50));
}

TEST(Activations, OfEqualLastUsesTheLargestLeaves) {
  EXPECT_EQ(pushed({{0, 4, 20}, {0, 4, 30}, {1, 2, 20}}, 60), (Pushed{{1, 1}}));
}

TEST(Activations, OfEqualSizesTheLowestIdLeaves) {
  EXPECT_EQ(pushed({{0, 4, 30}, {0, 4, 30}, {1, 2, 10}}, 60), (Pushed{{0, 1}}));
}

TEST(Activations, ASpillFreesAllItsPhases) {
  const std::vector<Life> lives = {{0, 2, 30}, {1, 6, 30}, {3, 5, 30}, {4, 6, 30}};
  EXPECT_EQ(pushed(lives, 50), (Pushed{{1, 1}, {3, 4}}));
  EXPECT_EQ(traffic(lives, 50), 120u);
}

TEST(Activations, WhatCannotFitAlonePushesOutInnocentsFirst) {
  const std::vector<Life> lives = {{0, 9, 10}, {1, 2, 60}};
  EXPECT_EQ(pushed(lives, 50), (Pushed{{0, 1}, {1, 1}}));
  EXPECT_EQ(traffic(lives, 50), 140u);
}

TEST(Activations, TheRuleDoesNotAskWhatATensorMoves) {
  EXPECT_EQ(traffic({{0, 9, 60, 600}, {3, 4, 60, 120}}, 100), 600u);
}

TEST(Activations, NothingFitsInNoRoom) {
  EXPECT_EQ(placed(program_of({{0, 1, 30}}), target_of(0)).spilled.size(), 1u);
  Program program = program_of({{0, 1, 30}});
  program.buffers = {{.bytes = Bytes(8)}};
  EXPECT_EQ(placed(program, target_of(8)).spilled.size(), 1u);
  EXPECT_EQ(footprint(program, target_of(8)), Bytes(8));
}

TEST(Activations, WithoutReachNothingIsPlaced) {
  Target target = target_of(0);
  target.any_site_reaches_any = false;
  target.chips[0].sites = {{4, Bytes(100)}};
  Program program = program_of(kTouching);
  program.buffers = {{.site = 3, .bytes = Bytes(7)}};
  const Activations result = placed(program, target);
  EXPECT_EQ(result.spilled.size(), 0u);
  EXPECT_EQ(std::ranges::count(result.on_chip, true), 0);
  EXPECT_EQ(footprint(program, target), Bytes(7));
  target.any_site_reaches_any = true;
  EXPECT_EQ(std::ranges::count(placed(program, target).on_chip, true), 3);
}

TEST(Activations, TrafficIsNotMonotoneInCapacity) {
  const std::vector<Life> lives = {{0, 3, 40}, {1, 5, 30}, {2, 4, 30, 90}, {4, 6, 50}, {5, 6, 20}};
  const std::vector<std::uint64_t> expected = {330, 240, 250, 250, 250, 160, 60, 60, 100, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(traffic(lives, 20 + 10 * i), expected[i]) << 20 + 10 * i;
  }
}

TEST(Activations, PinnedOnesCountAndNeverLeave) {
  Program program = program_of({{0, 4, 30}, {0, 4, 30}, {1, 2, 0}});
  program.tensors[0].tier = Tier::Sram;
  const Activations half = placed(program, target_of(40));
  EXPECT_EQ(half.on_chip, (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(half.obstacles.empty());
  program.tensors[1].pinned = true;
  const Activations over = placed(program, target_of(40));
  EXPECT_TRUE(over.spilled.empty());
  ASSERT_EQ(over.obstacles.size(), 1u);
  EXPECT_EQ(over.obstacles[0].kind, Obstacle::Kind::PinnedPastSram);
  EXPECT_EQ(over.obstacles[0].names, (std::vector<std::string>{"t0", "t1"}));
  EXPECT_EQ(over.obstacles[0].needed, Bytes(60));
  // Of three, the two largest alone are too much.
  program.tensors[2].pinned = true;
  program.tensors[2].bytes = Bytes(20);
  EXPECT_EQ(placed(program, target_of(40)).obstacles[0].names, over.obstacles[0].names);
}

TEST(Activations, ScratchTakesRoomInItsPhaseAlone) {
  Program program = program_of({{0, 1, 30}, {1, 2, 30}, {2, 3, 30}});
  program.phases[2].scratch = Bytes(1);
  EXPECT_EQ(placed(program, target_of(60)).spilled.size(), 1u);
  EXPECT_EQ(placed(program, target_of(61)).spilled.size(), 0u);
  EXPECT_EQ(footprint(program, target_of(61)), Bytes(61));
}

TEST(Activations, WhatTheHostReadsIsNotPlaced) {
  Program program = program_of({{0, 1, 30}});
  program.tensors[0].host = true;
  EXPECT_EQ(placed(program, target_of(100)).on_chip, std::vector<bool>{false});
}

TEST(Activations, ALoopOverPhasesIsOnePhase) {
  Program program = program_of({{0, 1, 30}, {2, 3, 30}});
  program.loops = {{{1, 3}, 5}};
  EXPECT_EQ(placed(program, target_of(59)).spilled.size(), 1u);
}

TEST(Activations, AViewStaysWithWhatItViews) {
  Program program = program_of({{0, 1, 30}, {1, 1, 0}});
  program.tensors.push_back(
      {.name = "v", .bytes = Bytes(10), .view_of = TensorView{TensorId(0), Bytes(20)}});
  program.phases.resize(4);
  program.phases[3].accesses.push_back({.tensor = TensorId(2), .bytes = Bytes(10)});
  const Activations result = placed(program, target_of(30));
  EXPECT_EQ(result.on_chip, (std::vector<bool>{true, true, true}));
  const auto demand = program_demand(program, target_of(30)).value();
  EXPECT_EQ(demand[TensorId(0)].life, (LiveRange{0, 4}));
  EXPECT_EQ(demand[TensorId(0)].moved, Bytes(70));
}

// The rule as it is written: from the first phase again after each spill.
Pushed naive(const std::vector<Life>& lives, std::uint64_t capacity) {
  std::vector<bool> gone(lives.size(), false);
  Pushed list;
  Step last_phase = 0;
  for (const Life& life : lives) last_phase = std::max(last_phase, life.last);
  for (Step step = 0; step <= last_phase;) {
    std::uint64_t load = 0;
    std::optional<std::size_t> victim;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (gone[i] || step < lives[i].first || step > lives[i].last) continue;
      load += lives[i].bytes;
      if (lives[i].bytes == 0) continue;
      const auto key = [&](std::size_t at) { return std::pair(lives[at].last, lives[at].bytes); };
      if (!victim || key(i) > key(*victim)) victim = i;
    }
    if (load <= capacity) {
      ++step;
      continue;
    }
    gone[*victim] = true;
    list.emplace_back(*victim, step);
    step = 0;
  }
  return list;
}

TEST(Activations, RandomProgramsSpillAsTheNaiveRule) {
  std::mt19937_64 random(1);
  std::size_t spills = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<Life> lives(random() % 12);
    for (Life& life : lives) {
      life.first = random() % 10;
      life.last = life.first + random() % 6;
      life.bytes = random() % 30;
    }
    const std::uint64_t capacity = 1 + random() % 80;
    ASSERT_EQ(pushed(lives, capacity), naive(lives, capacity)) << round;
    spills += naive(lives, capacity).size();
    const Program program = program_of(lives);
    const auto load = footprint(program, target_of(capacity));
    ASSERT_LE(load, Bytes(capacity));
  }
  EXPECT_GT(spills, 5000u);
}

TEST(Activations, TheOrderOfTensorsDecidesNothingButFullTies) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Life> lives(random() % 12);
    for (std::size_t i = 0; i < lives.size(); ++i) {
      lives[i].first = random() % 10;
      lives[i].last = lives[i].first + random() % 6;
      lives[i].bytes = 100 * (1 + random() % 9) + i;  // no two alike
    }
    const auto left = [&] {
      std::vector<std::uint64_t> bytes;
      const Program program = program_of(lives);
      for (const Spill& spill : placed(program, target_of(2'000)).spilled) {
        bytes.push_back(program.tensors[spill.tensor.index()].bytes.count());
      }
      return bytes;
    };
    const auto before = left();
    std::ranges::shuffle(lives, random);
    ASSERT_EQ(left(), before) << round;
  }
}

TEST(Activations, AHundredThousandAreQuick) {
  std::mt19937_64 random(2);
  std::vector<Life> lives(100'000);
  for (Life& life : lives) {
    life.first = random() % 10'000;
    life.last = std::min<Step>(9'999, life.first + random() % 2'000);
    life.bytes = 1 + random() % 100'000;
  }
  const Program program = program_of(lives);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_GT(placed(program, target_of(100'000'000)).spilled.size(), 1'000u);
  // Well under a second as users run it; the tests run with sanitizers on a shared machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace berth
