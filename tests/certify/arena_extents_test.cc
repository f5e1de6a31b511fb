// What extents add: each fault is one that addresses alone do not show.
#include "berth/certify/arena_extents.h"

#include <gtest/gtest.h>

#include "berth/certify/arena.h"
#include "berth/certify/byte_set.h"
#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::build;
using test::carried;
using test::fresh;
using test::Item;
using test::launch;
using test::range;
using test::repeat;

constexpr std::uint64_t kA = 0x1100;  // 256 bytes, and so on
constexpr std::uint64_t kB = 0x1200;
constexpr std::uint64_t kC = 0x1300;

PlaneTable planes(std::vector<PhasePlanes> phases) {
  return PlaneTable::make(16, {{Address(0x1000), Bytes(0x1000)}}, {range("g", 0x1000, 0x100)},
                          std::move(phases))
      .value();
}

const PlaneTable kTwo =
    planes({{"p", {fresh(range("a", kA, 0x100)), fresh(range("b", kB, 0x100))}},
            {"q", {carried(range("a", kA, 0x100)), fresh(range("c", kC, 0x100))}}});

Verdict judged(const std::vector<Item>& table, const PlaneTable& plan = kTwo,
               Words rule = Words::ByInterval) {
  return judge_arena(plan, build(table).value(), rule);
}
std::uint64_t code(const std::vector<Item>& table, const PlaneTable& plan = kTwo,
                   Words rule = Words::ByInterval) {
  return judged(table, plan, rule).code();
}
// Addresses alone show nothing of it.
std::uint64_t code_of_addresses(const std::vector<Item>& table, const PlaneTable& plan = kTwo) {
  return certify_arena(plan, build(table).value()).code();
}

TEST(Extents, AKernelThatRunsPastItsArgumentIsSeen) {
  EXPECT_EQ(code({launch("p", kA, 0, 0x100)}), 0u);
  const std::vector<Item> over = {launch("p", kA, 0, 0x101)};
  EXPECT_EQ(code(over), 2u);
  EXPECT_EQ(code_of_addresses(over), 0u);
  EXPECT_EQ(judged({launch("p", kA + 0xF0, 0x20, 0)}).finding,
            Finding(StrayAccess{LaunchId(0), 0}));
}

TEST(Extents, APointerOnePastItsRangeIsSeenWhereTheNextOneBegins) {
  // The end of a, by accident the beginning of b: to an address checker, b.
  const std::vector<Item> shifted = {launch("p", kA + 0xFF, 0, 2)};
  EXPECT_EQ(code_of_addresses(shifted), 0u);
  EXPECT_EQ(code(shifted), 2u);
}

TEST(Extents, TwoSwappedPointersAreSeenWhereOneRangeIsSmaller) {
  const PlaneTable plan =
      planes({{"p", {fresh(range("small", kA, 0x10)), fresh(range("large", kB, 0x100))}}});
  const std::vector<Item> right = {launch("p", kA, 0, 0x10), launch("p", kB, 0, 0x100)};
  const std::vector<Item> swapped = {launch("p", kB, 0, 0x10), launch("p", kA, 0, 0x100)};
  EXPECT_EQ(code(right, plan), 0u);
  EXPECT_EQ(code_of_addresses(swapped, plan), 0u);
  EXPECT_EQ(code(swapped, plan), 3u);
}

TEST(Extents, BytesOutsideEveryWindowLieInANamedRangeToo) {
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0xFF8}, std::uint64_t{0x2000},
                                      std::uint64_t{0xdead0000}, UINT64_MAX}) {
    const std::vector<Item> wild = {launch("p", kA, 0, 4), launch("p", address, 0, 1)};
    EXPECT_EQ(code_of_addresses(wild), 0u) << "an address in no window is nobody's business";
    EXPECT_EQ(code(wild), 3u) << address;
    EXPECT_EQ(code({launch("p", address, 1, 0)}), 2u);
    EXPECT_EQ(code({launch("p", address, 0, 0)}), 2u) << "whatever it does there";
  }
  EXPECT_EQ(code({launch("p", 0xFF8, 9, 0)}), 2u) << "into a window from outside";
}

TEST(Extents, ANamedRangeOutsideTheWindowsIsOne) {
  const PlaneTable plan =
      PlaneTable::make(16, {{Address(0x1000), Bytes(0x100)}}, {range("far", 0x8000, 0x100)},
                       {{"p", {fresh(range("a", kA, 0x100))}}})
          .value();
  EXPECT_EQ(code({launch("p", kA, 0, 0x100), launch("p", 0x8000, 0x100, 0)}, plan), 0u);
  EXPECT_EQ(code({launch("p", kA, 0, 0x101)}, plan), 2u);
  EXPECT_EQ(code({launch("p", 0x8001, 0x100, 0)}, plan), 2u);
}

TEST(Extents, EveryValueOfARepeatLiesInANamedRange) {
  const auto walk = [](std::uint64_t from, std::uint64_t iterations, std::int64_t step) {
    return std::vector<Item>{repeat(iterations, {launch("p", from, 0, 4)}, {{0, 0, step}})};
  };
  for (const Words rule : {Words::ByInterval, Words::OneByOne}) {
    EXPECT_EQ(code(walk(0x1000, 64, 4), kTwo, rule), 0u);
    EXPECT_EQ(code(walk(0x1000, 2, 0x1000), kTwo, rule), 2u) << "one step past the windows";
    EXPECT_EQ(code(walk(0x1000, 3, -0x800), kTwo, rule), 2u);
    EXPECT_EQ(code(walk(kA, 1000, 0x1000000), kTwo, rule), 2u);
  }
}

TEST(Extents, NoBytesPassTheEndOfAllAddresses) {
  const PlaneTable plan =
      PlaneTable::make(1, {}, {range("last", UINT64_MAX, 1)}, {{"p", {}}}).value();
  EXPECT_EQ(code({launch("p", UINT64_MAX, 1, 0)}, plan), 0u);
  EXPECT_EQ(code({launch("p", UINT64_MAX, 2, 0)}, plan), 2u);
  EXPECT_EQ(code({launch("p", UINT64_MAX, UINT64_MAX, UINT64_MAX)}, plan), 2u);
}

TEST(Extents, APlaneCalledFreshThatIsReadFirstIsSeen) {
  const std::vector<Item> lie = {launch("p", kA, 4, 0)};
  EXPECT_EQ(code_of_addresses(lie), 0u);
  EXPECT_EQ(code(lie), 3u);  // n = 1, instance 0
  EXPECT_EQ(judged(lie).finding,
            Finding(UnwrittenRead{
                0, LaunchId(0), LaunchId(0), 0, {PhaseId(0), 0}, {kA, kA + 4}, {kA, kA + 4}}));
  EXPECT_EQ(code({launch("p", kA, 0, 4), launch("p", kA, 4, 0)}), 0u);
  EXPECT_EQ(code({launch("p", kA, 0, 3), launch("p", kA, 4, 0)}), 4u) << "one byte is not written";
}

TEST(Extents, WhatALaunchWritesItDoesNotFindItself) {
  EXPECT_EQ(code({launch("p", kA, 4, 4)}), 3u);
}

TEST(Extents, AnotherInstanceKnowsNothingOfWhatTheLastOneWrote) {
  const std::vector<Item> once = {launch("p", kA, 0, 8), launch("p", kA, 8, 0)};
  std::vector<Item> twice = once;
  twice.push_back(launch("q"));
  twice.push_back(launch("p", kA, 8, 0));
  EXPECT_EQ(code(once), 0u);
  EXPECT_EQ(code(twice), 2u + 4u + 2u);
}

TEST(Extents, ACarriedPlaneAndAGlobalMayBeReadAtOnce) {
  EXPECT_EQ(code({launch("p", kA, 0, 0x100), launch("q", kA, 0x100, 0), launch("q", 0x1000, 9, 0)}),
            0u);
}

TEST(Extents, TheSmallestCodeOfAllRulesIsTheVerdict) {
  // A stray word of launch 1, bytes astray at launch 0, and a value lost in instance 0.
  EXPECT_EQ(code({launch("p", kA, 0, 0x101), launch("p", 0x1F00, 0, 0)}), 2u);
  EXPECT_EQ(code({launch("p", 0x1F00, 0, 0), launch("p", kA, 0, 0x101)}), 2u);
  EXPECT_EQ(code({launch("q", kC, 1, 0)}), 3u);
  EXPECT_TRUE(std::holds_alternative<LostValue>(judged({launch("q", kC, 1, 0)}).finding));
  EXPECT_EQ(code({launch("p", kA, 1, 0), launch("q"), launch("q", kA, 0, 0x101)}), 4u);
}

TEST(Extents, WordsWithoutOneAreJudgedByTheirAddressAlone) {
  EXPECT_EQ(code({launch("p", {kA, kB}), launch("p", {kA + 0xFF})}), 0u);
}

TEST(Extents, FewIterationsAreFollowedOneByOne) {
  const auto rows = [](std::uint64_t iterations, std::uint64_t read_from) {
    return std::vector<Item>{
        launch("p", kA, 0, 4),
        repeat(iterations, {launch("p", read_from, 4, 0), launch("p", kA + 4, 0, 4)},
               {{0, 0, 4}, {1, 0, 4}})};
  };
  EXPECT_EQ(code(rows(60, kA)), 0u) << "each iteration reads what the one before it wrote";
  EXPECT_EQ(code(rows(60, kA + 4)), 5u);
  EXPECT_EQ(code(rows(64, kA)), 0u) << "the last one writes at the beginning of b";
}

TEST(Extents, ManyIterationsFindWhatMovesAlongOrStandsStill) {
  const auto table = [](std::uint64_t writes_at, std::uint64_t reads_at) {
    return std::vector<Item>{repeat(
        200, {launch("p", writes_at, 0, 4), launch("p", reads_at, 4, 0)}, {{0, 0, 1}, {1, 0, 1}})};
  };
  EXPECT_EQ(code(table(kA, kA)), 0u);
  EXPECT_EQ(code(table(kA, kA + 1)), 4u);
  EXPECT_EQ(code({launch("p", kA, 0, 0x100), repeat(200, {launch("p", kA, 4, 0)}, {{0, 0, 1}})}),
            0u);
  EXPECT_EQ(code({launch("p", kA, 0, 0x80), repeat(200, {launch("p", kA, 4, 0)}, {{0, 0, 1}})}),
            4u);
}

TEST(Extents, WhatManyIterationsWroteWithoutAGapIsThereAfterThem) {
  const auto filled = [](std::uint64_t writes, std::int64_t step) {
    return std::vector<Item>{repeat(100, {launch("p", kA, 0, writes)}, {{0, 0, step}}),
                             launch("p", kA, 100, 0)};
  };
  EXPECT_EQ(code(filled(1, 1)), 0u);
  EXPECT_EQ(code(filled(2, 2)), 0u);
  EXPECT_EQ(code(filled(1, 2)), 4u);
  // Another phase in each iteration: only the last one's bytes are of the instance that goes on.
  const std::vector<Item> apart = {repeat(100, {launch("q"), launch("p", kA, 0, 1)}, {{1, 0, 1}}),
                                   launch("p", kA + 98, 1, 0)};
  const PlaneTable plan = planes({{"p", {fresh(range("a", kA, 0x100))}}, {"q", {}}});
  EXPECT_EQ(code(apart, plan), 2u + 3u + 199u);
}

TEST(Extents, ABillionIterationsAreNotUnrolled) {
  const PlaneTable plan =
      PlaneTable::make(1, {{Address(0), Bytes(std::uint64_t{1} << 40)}}, {},
                       {{"p", {fresh(range("a", 0, std::uint64_t{1} << 40))}}, {"q", {}}})
          .value();
  EXPECT_EQ(code({repeat(1'000'000'000, {launch("p", 0, 0, 64), launch("p", 0, 64, 0)},
                         {{0, 0, 64}, {1, 0, 64}})},
                 plan),
            0u);
  EXPECT_EQ(
      code({repeat(1'000'000'000, {launch("p", 0, 0, 64), launch("q")}, {}), launch("p", 0, 1, 0)},
           plan),
      2u + 3u + 2'000'000'000u);
}

TEST(Extents, TheExactRuleHoldsEachAccessAgainstTheHoles) {
  const PlaneTable plan =
      planes({{"p", {fresh(range("a", kA, 0x100)), fresh(range("b", kB, 0x100))}}});
  const auto walk = [](std::uint64_t length, std::uint64_t iterations) {
    return std::vector<Item>{repeat(iterations, {launch("p", kA, 0, length)}, {{0, 0, 4}})};
  };
  EXPECT_EQ(code(walk(4, 128), plan), 2u);
  EXPECT_EQ(code(walk(4, 128), plan, Words::OneByOne), 0u);
  EXPECT_EQ(code(walk(5, 128), plan, Words::OneByOne), 2u) << "four bytes of one, one of the next";
  EXPECT_EQ(code(walk(4, 129), plan, Words::OneByOne), 2u);
}

TEST(ByteSet, KnowsWhichBytesAreMissingFirst) {
  ByteSet set;
  set.add({4, 6});
  set.add({8, 9});
  set.add({6, 7});
  set.add({3, 3});
  EXPECT_TRUE(set.first_missing({4, 7}).empty());
  EXPECT_EQ(set.first_missing({3, 9}), (AddressRange{3, 4}));
  EXPECT_EQ(set.first_missing({5, 9}), (AddressRange{7, 8}));
  EXPECT_EQ(set.first_missing({8, 12}), (AddressRange{9, 12}));
  set.add({0, 20});
  EXPECT_TRUE(set.first_missing({0, 20}).empty());
  set.clear();
  EXPECT_EQ(set.first_missing({1, 2}), (AddressRange{1, 2}));
}

}  // namespace
}  // namespace berth
