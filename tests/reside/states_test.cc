#include "berth/reside/states.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/reside/programs.h"

namespace berth {
namespace {

using test::target_of;

StateClass state(const std::string& name, std::uint64_t bytes, std::uint64_t instances,
                 std::uint64_t moved) {
  return {"m", name, ChipId(0), instances, Bytes(bytes), Bytes(moved)};
}

std::vector<ClassResidency> planned(const std::vector<StateClass>& classes, std::uint64_t room) {
  const std::vector<ChipRoom> rooms = {{Bytes(room), Bytes(0)}};
  return plan_states(classes, rooms);
}

std::string order(const std::vector<ClassResidency>& placed) {
  std::string names;
  for (const ClassResidency& it : placed) names += (names.empty() ? "" : " ") + it.state.tensor;
  return names;
}

std::string on_chip(const std::vector<ClassResidency>& placed) {
  std::string names;
  for (const ClassResidency& it : placed) {
    if (it.tier == Tier::Sram) names += (names.empty() ? "" : " ") + it.state.tensor;
  }
  return names;
}

std::uint64_t off_chip(const std::vector<ClassResidency>& placed) {
  Residency plan;
  plan.classes = placed;
  return plan.off_chip().states.count();
}

// K1 to K11 of the worked examples.
constexpr std::uint64_t kMiB = 1 << 20;

TEST(States, AClassThatDoesNotFitLeavesTheRoomToTheNext) {
  const auto placed = planned({state("wkv", 100, 4, 200), state("conv", 20, 4, 40),
                               state("kv", 100, 4, 101), state("pos", 10, 4, 10)},
                              800);
  EXPECT_EQ(order(placed), "conv wkv kv pos");
  EXPECT_EQ(on_chip(placed), "conv wkv pos");
  EXPECT_EQ(off_chip(placed), 404u);
}

TEST(States, DensestFirstCanKeepLess) {
  EXPECT_EQ(off_chip(planned({state("a", 1, 1, 2), state("b", 10, 1, 10)}, 10)), 10u);
  const auto three = planned({state("A", 6, 1, 12), state("B", 5, 1, 9), state("C", 5, 1, 9)}, 10);
  EXPECT_EQ(on_chip(three), "A");
}

TEST(States, AnExactFillFits) {
  EXPECT_EQ(off_chip(planned({state("a", 400, 2, 800)}, 800)), 0u);
  EXPECT_EQ(off_chip(planned({state("a", 400, 2, 800)}, 799)), 1600u);
}

TEST(States, DensitiesAreComparedExactly) {
  const std::uint64_t large = 1ULL << 53;
  const auto placed = planned({state("Y", 1, 1, 1), state("X", large, 1, large + 1)}, large);
  EXPECT_EQ(order(placed), "X Y");
  EXPECT_EQ(on_chip(placed), "X");
  const std::uint64_t wide = 1ULL << 40;
  EXPECT_EQ(order(planned({state("b", wide, 1, wide), state("a", wide, 1, wide + 1)}, 0)), "a b");
}

TEST(States, OfEqualDensityTheSmallerClassComesFirstThenTheName) {
  EXPECT_EQ(order(planned({state("b", 4, 2, 8), state("a", 2, 4, 4), state("c", 1, 1, 2)}, 0)),
            "c a b");
}

TEST(States, AClassWithoutBytesComesFirstAndAnIdleOneLast) {
  const auto placed =
      planned({state("idle", 1, 1, 0), state("empty", 0, 9, 0), state("busy", 9, 1, 90)}, 10);
  EXPECT_EQ(order(placed), "empty busy idle");
  EXPECT_EQ(on_chip(placed), "empty busy idle");
}

TEST(States, WholeModelsGoAsTheWorkedExamplesSay) {
  const auto llama = planned({state("kv", 16 * kMiB, 32, 16'781'312)}, 460 * kMiB);
  EXPECT_EQ(off_chip(llama), 537'001'984u);
  const auto mamba = planned(
      {state("ssm", 1'310'720, 64, 2'621'440), state("conv", 43'008, 64, 86'016)}, 60 * kMiB);
  EXPECT_EQ(on_chip(mamba), "conv");
  EXPECT_EQ(off_chip(mamba), 167'772'160u);
  const std::vector<StateClass> rwkv = {state("wkv", kMiB, 32, 2 * kMiB),
                                        state("shift_att", 8'192, 32, 16'384),
                                        state("shift_ffn", 8'192, 32, 16'384)};
  EXPECT_EQ(off_chip(planned(rwkv, 32 * kMiB)), 67'108'864u);
  EXPECT_EQ(off_chip(planned(rwkv, 33 * kMiB)), 0u);
  const auto jamba =
      planned({state("kv", 8 * kMiB, 4, 8'392'704), state("ssm", 524'288, 28, 1'048'576),
               state("conv", 65'536, 28, 131'072)},
              40 * kMiB);
  EXPECT_EQ(on_chip(jamba), "conv ssm");
}

TEST(States, TheNextTierHoldsWhatFitsWhole) {
  Target target = target_of(0);
  target.chips[0].hbm = Bytes(1000);
  auto placed =
      planned({state("a", 600, 1, 1800), state("b", 500, 1, 1000), state("c", 400, 1, 400)}, 0);
  plan_off_chip(target, placed);
  EXPECT_EQ(placed[0].tier, Tier::Hbm);
  EXPECT_EQ(placed[1].tier, Tier::Dram);
  EXPECT_EQ(placed[2].tier, Tier::Hbm);
  target.chips[0].hbm = Bytes(0);
  plan_off_chip(target, placed);
  for (const ClassResidency& it : placed) EXPECT_EQ(it.tier, Tier::Dram);
}

// Selection of the best by repeated comparison of fractions, in another order and another way.
std::vector<std::string> naive(std::vector<StateClass> classes, std::uint64_t room) {
  std::vector<std::string> kept;
  while (!classes.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < classes.size(); ++i) {
      const StateClass& a = classes[i];
      const StateClass& b = classes[best];
      const bool empty_a = a.bytes == Bytes(0);
      const bool empty_b = b.bytes == Bytes(0);
      const auto left = a.moved.count() * b.bytes.count();
      const auto right = b.moved.count() * a.bytes.count();
      bool better = false;
      if (empty_a || empty_b) {
        better = empty_a && (!empty_b || a.tensor < b.tensor);
      } else if (left != right) {
        better = left > right;
      } else {
        better = std::pair(a.bytes.count() * a.instances, a.tensor) <
                 std::pair(b.bytes.count() * b.instances, b.tensor);
      }
      if (better) best = i;
    }
    const std::uint64_t held = classes[best].bytes.count() * classes[best].instances;
    if (held <= room) {
      room -= held;
      kept.push_back(classes[best].tensor);
    }
    classes.erase(classes.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return kept;
}

TEST(States, RandomClassesGoAsTheNaiveRule) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::vector<StateClass> classes;
    for (std::uint64_t i = random() % 10; i > 0; --i) {
      classes.push_back(state("s" + std::to_string(i), random() % 6, random() % 4, random() % 8));
    }
    const std::uint64_t room = random() % 40;
    std::vector<std::string> kept;
    for (const ClassResidency& it : planned(classes, room)) {
      if (it.tier == Tier::Sram) kept.push_back(it.state.tensor);
    }
    ASSERT_EQ(kept, naive(classes, room)) << round;
  }
}

}  // namespace
}  // namespace berth
