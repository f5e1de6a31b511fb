#include <gtest/gtest.h>

#include "berth/certify/arena_judge.h"
#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::build;
using test::carried;
using test::fresh;
using test::Item;
using test::range;
using test::repeat;

constexpr std::uint64_t kTop = UINT64_MAX - 255;  // 2^64 - 256

const NamedRange g = range("g", 0x1000, 0x100);
const NamedRange a = range("a", 0x1100, 0x100);
const NamedRange b = range("b", 0x1200, 0x100);
const NamedRange c = range("c", 0x1180, 0x100);  // overlaps a and b
const NamedRange x = range("x", 0x1100, 0x100);  // the place of a
const std::vector<Window> kWindow = {{Address(0x1000), Bytes(0x1000)}};

const std::vector<PhasePlanes> kPhases = {{"1", {fresh(a)}},
                                          {"2", {fresh(b), carried(a)}},
                                          {"3", {fresh(c)}},
                                          {"4", {carried(a)}},
                                          {"5", {fresh(x)}}};

PlaneTable planes(std::vector<NamedRange> globals = {g}, std::vector<PhasePlanes> phases = kPhases,
                  std::vector<Window> windows = kWindow) {
  return PlaneTable::make(16, std::move(windows), std::move(globals), std::move(phases)).value();
}

Item launch(int phase, std::vector<std::uint64_t> words = {}) {
  return test::launch(std::to_string(phase), std::move(words));
}

std::uint64_t code(const std::vector<Item>& table, const PlaneTable& plan = planes(),
                   Words rule = Words::ByInterval) {
  return judge_arena(plan, build(table).value(), rule).code();
}

std::uint64_t code(const std::vector<Item>& table, const std::vector<Submission>& submissions) {
  return judge_arena(planes(), build(table, &submissions).value()).code();
}

std::uint64_t code_of_plan(std::vector<NamedRange> globals,
                           std::vector<PhasePlanes> phases = kPhases) {
  return code({}, planes(std::move(globals), std::move(phases)));
}

// Phase 1 alone, with these planes.
PlaneTable one_phase(std::vector<Plane> its_planes) {
  return planes({g}, {{"1", std::move(its_planes)}});
}

std::string refusal(const std::vector<Item>& table,
                    const std::vector<Submission>* submissions = nullptr) {
  const auto schedule = build(table, submissions);
  return schedule ? "" : to_string(schedule.error());
}

// The worked examples of the reading of the rules, by their numbers.

TEST(Arena, Example01AnEmptyPlanAndScheduleAreCertified) {
  EXPECT_EQ(code({}, planes({}, {}, {})), 0u);
}
TEST(Arena, Example02APhaseReadsWhatAnEarlierOneLeft) {
  EXPECT_EQ(code({launch(1, {0x1100, 0x1000}), launch(2, {0x1100, 0x1200})}), 0u);
}
TEST(Arena, Example03AMisalignedGlobalIsABadPlan) {
  EXPECT_EQ(code_of_plan({range("g", 0x1008, 0x100)}, {}), 1u);
}
TEST(Arena, Example04AnEmptyGlobalIsABadPlan) {
  EXPECT_EQ(code_of_plan({range("g", 0x1000, 0)}, {}), 1u);
}
TEST(Arena, Example05GlobalsMayTouch) {
  EXPECT_EQ(code_of_plan({g, range("h", 0x1100, 16)}, {}), 0u);
}
TEST(Arena, Example06AGlobalInsideAnotherIsABadPlan) {
  EXPECT_EQ(code_of_plan({g, range("h", 0x10f0, 16)}), 1u);
}
TEST(Arena, Example07AGlobalMayEndAtTheEndOfAllAddresses) {
  EXPECT_EQ(code_of_plan({range("g", kTop, 256)}), 0u);
}
TEST(Arena, Example08AGlobalThatWrapsIsABadPlan) {
  EXPECT_EQ(code_of_plan({range("g", kTop, 272)}), 1u);
}
TEST(Arena, Example09PlanesOfOnePhaseThatOverlapAreABadPlan) {
  EXPECT_EQ(code({}, one_phase({fresh(a), fresh(c)})), 1u);
}
TEST(Arena, Example10APhaseThatNobodyUsesIsJudgedToo) {
  EXPECT_EQ(code_of_plan({g}, {{"9", {fresh(range("y", 0x10f0, 0x20))}}}), 1u);
}
TEST(Arena, Example11ATensorBothFreshAndCarriedIsABadPlan) {
  EXPECT_EQ(code({}, one_phase({fresh(a), carried(a)})), 1u);
}
TEST(Arena, Example12TheLastByteOfAPlaneIsInIt) {
  EXPECT_EQ(code({launch(1, {0x11ff})}), 0u);
}
TEST(Arena, Example13OnePastAPlaneIsOutside) {
  EXPECT_EQ(code({launch(1, {0x1100}), launch(1, {0x1200})}), 3u);
}
TEST(Arena, Example14AnUnreferencedLaunchIsHeldAgainstThePlan) {
  EXPECT_EQ(code({launch(1, {0x1f00})}, std::vector<Submission>{}), 2u);
}
TEST(Arena, Example15WordsOutsideTheWindowsAreNoAddresses) {
  EXPECT_EQ(code({launch(1, {0x2000, 7, UINT64_MAX})}), 0u);
}
TEST(Arena, Example16WithoutWindowsNoWordIsAnAddress) {
  EXPECT_EQ(code({launch(1, {0x1f00})}, planes({g}, kPhases, {})), 0u);
}
TEST(Arena, Example17AnUndeclaredPhaseIsFoundWhereItIsNeverRun) {
  const std::vector<Submission> first_alone = {{0, 1}};
  EXPECT_EQ(code({launch(1), launch(77)}, first_alone), 3u);
}
TEST(Arena, Example18ACarriedPlaneThatNobodyDeclaredIsLost) {
  EXPECT_EQ(code({launch(4)}), 3u);
}
TEST(Arena, Example19AnOverwrittenValueIsLost) {
  EXPECT_EQ(code({launch(1), launch(3), launch(4)}), 7u);
}
TEST(Arena, Example20AnotherTensorAtTheSamePlaceOverwrites) {
  EXPECT_EQ(code({launch(1), launch(5), launch(4)}), 7u);
}
TEST(Arena, Example21UsingAValueTwiceAndMakingItAgainIsFine) {
  EXPECT_EQ(code({launch(1), launch(4), launch(1), launch(4)}), 0u);
}
TEST(Arena, Example22AValueMadeAgainAfterItWasOverwrittenIsAlive) {
  EXPECT_EQ(code({launch(1), launch(3), launch(1), launch(4)}), 0u);
}
TEST(Arena, Example23PartOfADeclaredPlaneIsAnotherPlane) {
  const PlaneTable plan =
      planes({g}, {{"1", {fresh(a)}}, {"2", {fresh(b), carried(range("a", 0x1100, 0x80))}}});
  EXPECT_EQ(code({launch(1), launch(2)}, plan), 5u);
}
TEST(Arena, Example24SubmissionsSayTheOrder) {
  EXPECT_EQ(code({launch(4), launch(1)}, {{1, 1}, {0, 1}}), 0u);
}
TEST(Arena, Example25InTableOrderTheSameLosesAValue) {
  EXPECT_EQ(code({launch(4), launch(1)}), 4u);
}
TEST(Arena, Example26ASubmissionPastTheTableIsMalformed) {
  const std::vector<Submission> past = {{0, 2}};
  EXPECT_EQ(refusal({launch(1)}, &past),
            "submissions[0].count: 2 launches from 0 on pass the 1 that are written");
}
TEST(Arena, Example27WhatIsNeverRunLosesNothing) {
  EXPECT_EQ(code({launch(4)}, std::vector<Submission>{}), 0u);
}
TEST(Arena, Example28AStrayWordComesBeforeALostValue) {
  EXPECT_EQ(code({launch(4), launch(1, {0x1f00})}), 3u);
}
TEST(Arena, Example29RunsOfOnePhaseAcrossSubmissionsAreOneInstance) {
  EXPECT_EQ(code({launch(1), launch(4)}, {{0, 1}, {0, 1}, {1, 1}}), 0u);
  EXPECT_EQ(code({launch(3), launch(4)}, {{0, 1}, {0, 1}, {1, 1}}), 5u);  // n = 2, k = 1
}
TEST(Arena, Example30ABillionIterationsAreNotUnrolled) {
  EXPECT_EQ(code({repeat(1'000'000'000, {launch(1), launch(4)})}), 0u);
}
TEST(Arena, Example31TheSecondIterationMayFindWhatTheFirstOverwrote) {
  EXPECT_EQ(code({launch(1), repeat(5, {launch(4), launch(3)})}), 8u);
}
TEST(Arena, Example32AStepThroughAPlaneIsFine) {
  EXPECT_EQ(code({repeat(256, {launch(1, {0x1100})}, {{0, 0, 1}})}), 0u);
}
TEST(Arena, Example33AStepPastAPlaneIsNot) {
  EXPECT_EQ(code({repeat(257, {launch(1, {0x1100})}, {{0, 0, 1}})}), 2u);
}
TEST(Arena, Example34FewIterationsMayLieInSeveralRanges) {
  const PlaneTable plan = one_phase({fresh(a), fresh(b)});
  EXPECT_EQ(code({repeat(2, {launch(1, {0x1100})}, {{0, 0, 0x100}})}, plan), 0u);
}
TEST(Arena, Example35FewIterationsMayJumpAHole) {
  const PlaneTable plan = one_phase({fresh(a), fresh(range("d", 0x1300, 0x100))});
  EXPECT_EQ(code({repeat(2, {launch(1, {0x1100})}, {{0, 0, 0x200}})}, plan), 0u);
}
TEST(Arena, Example36AHullOverTwoRangesIsRefusedUnlessExact) {
  const PlaneTable plan = one_phase({fresh(a), fresh(b)});
  const std::vector<Item> table = {repeat(65, {launch(1, {0x1100})}, {{0, 0, 4}})};
  EXPECT_EQ(code(table, plan), 2u);
  EXPECT_EQ(code(table, plan, Words::OneByOne), 0u);
}
TEST(Arena, Example37DeltasOfOneWordAddUp) {
  EXPECT_EQ(code({repeat(1000, {launch(1, {0x1100})}, {{0, 0, 0x100}, {0, 0, -0x100}})}), 0u);
}
TEST(Arena, Example38AFrameIsJudgedByItsHullUnlessExact) {
  const PlaneTable plan = one_phase({fresh(a), fresh(b)});
  const std::vector<Item> table = {
      repeat(2, {launch(1, {0x1100})}, {}, {{0, 0, {0x1100, 0x1200}}})};
  EXPECT_EQ(code(table, plan), 2u);
  EXPECT_EQ(code(table, plan, Words::OneByOne), 0u);
}
TEST(Arena, Example39AFrameOfAnotherLengthIsMalformed) {
  EXPECT_EQ(refusal({repeat(3, {launch(1, {0x1100})}, {}, {{0, 0, {0x1100, 0x1180}}})}),
            "table[0].frames[0].values: holds 2 values, expected one for each of 3 iterations");
}
TEST(Arena, Example40AScalarMayWrapInAFewIterations) {
  EXPECT_EQ(code({repeat(10, {launch(1, {UINT64_MAX - 4})}, {{0, 0, 1}})}), 0u);
}
TEST(Arena, Example41AScalarMayWrapInManyIterations) {
  EXPECT_EQ(code({repeat(1000, {launch(1, {UINT64_MAX - 4})}, {{0, 0, 1}})}), 0u);
}
TEST(Arena, Example42AWordThatWalksIntoTheWindowStrays) {
  EXPECT_EQ(code({repeat(1000, {launch(1, {0xf00})}, {{0, 0, 1}})}), 2u);
}
TEST(Arena, Example43ASubmissionThatCutsARepeatIsMalformed) {
  const std::vector<Submission> cut = {{0, 1}};
  EXPECT_EQ(refusal({repeat(2, {launch(1), launch(4)})}, &cut),
            "submissions[0].count: launch 1 stands inside the repeat of launches 0 to 2 (a "
            "submission runs a repeat whole)");
}
TEST(Arena, Example44ARepeatOfOnePhaseMeltsIntoTheRunBeforeIt) {
  EXPECT_EQ(code({launch(1), repeat(7, {launch(1)}), launch(3), launch(4)}), 8u);
}
TEST(Arena, Example45TheFirstIterationMayLoseAValue) {
  EXPECT_EQ(code({repeat(3, {launch(1), launch(3), launch(4)})}), 7u);
}
TEST(Arena, Example46InstancesAreCountedAcrossIterationsWhoseEndsMelt) {
  EXPECT_EQ(code({repeat(3, {launch(1), launch(4), launch(1)}), launch(3), launch(4)}), 15u);
}

// Beyond the examples.

TEST(Arena, AWordThatWrapsToAddressZeroMeetsAWindowThere) {
  const PlaneTable plan = planes({}, {{"1", {}}}, {{Address(0), Bytes(1)}});
  const auto walk = [&](std::uint64_t iterations) {
    return code({repeat(iterations, {launch(1, {UINT64_MAX - 63})}, {{0, 0, 1}})}, plan);
  };
  EXPECT_EQ(walk(64), 0u);
  EXPECT_EQ(walk(65), 2u);
}

// The second pass finds instance 3 lost; what comes after would be lost too.
TEST(Arena, TheFirstLossCountsWhateverIsLostLater) {
  EXPECT_EQ(code({launch(1), launch(4), launch(3)}, {{0, 1}, {1, 2}, {1, 2}, {2, 1}, {1, 1}}), 8u);
  EXPECT_EQ(code({launch(1), repeat(2, {launch(4), launch(3)}), launch(3), launch(4)}), 10u);
}

TEST(Arena, EqualSubmissionsInARowAreWalkedTwiceAndCounted) {
  std::vector<Submission> submissions(100'000, {0, 2});
  submissions.push_back({2, 2});
  const std::vector<Item> table = {launch(1), launch(4), launch(3), launch(4)};
  EXPECT_EQ(code(table, submissions), 2u + 4u + 200'001u);
}

}  // namespace
}  // namespace berth
