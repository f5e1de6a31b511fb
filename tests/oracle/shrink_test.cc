#include "berth/certify/shrink.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/oracle/arena_oracle.h"
#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::ArenaCase;
using test::carried;
using test::fresh;
using test::Item;
using test::launch;
using test::range;

PlaneTable planes_of(std::vector<PhasePlanes> phases) {
  return *PlaneTable::make(1, {{Address(0), Bytes(64)}}, {range("g", 60, 4)}, std::move(phases));
}

const NamedRange kA = range("a", 0, 8);
const NamedRange kB = range("b", 8, 8);
const NamedRange kOverA = range("c", 4, 8);

PlaneTable four_phases() {
  return planes_of({{"1", {fresh(kA)}},
                    {"2", {fresh(kB), carried(kA)}},
                    {"3", {fresh(kOverA)}},
                    {"4", {carried(kA), fresh(kB)}}});
}

TEST(Shrink, ALostValueLeavesWhoMadeItWhoTookItAndWhoWantedIt) {
  const auto schedule =
      test::build({launch("1", {0, 1, 60}), launch("2", {9}),
                   test::repeat(1000, {launch("3", {5}), launch("4", {7})}), launch("1")},
                  nullptr)
          .value();
  const auto small = shrink_arena(four_phases(), schedule, Words::ByInterval, ShrinkTo::SameFault);
  EXPECT_TRUE(small.minimal);
  EXPECT_EQ(small.schedule, test::build({launch("1"), launch("3"), launch("4")}).value());
  EXPECT_EQ(small.planes,
            *PlaneTable::make(1, {}, {},
                              {{"1", {fresh(kA)}}, {"3", {fresh(kOverA)}}, {"4", {carried(kA)}}}));
}

TEST(Shrink, KeepsTheCodeOrOnlyTheFault) {
  const auto schedule =
      test::build({launch("3", {4}), launch("1", {0, 1}), launch("2", {9, 20, 5})}).value();
  EXPECT_EQ(judge_arena(four_phases(), schedule).code(), 4u);
  const auto same = shrink_arena(four_phases(), schedule, Words::ByInterval, ShrinkTo::SameCode);
  EXPECT_EQ(same.verdict.code(), 4u);
  EXPECT_EQ(same.schedule.size(), 3u);
  EXPECT_EQ(same.schedule.word_count(), 1u);
  const auto fault = shrink_arena(four_phases(), schedule, Words::ByInterval, ShrinkTo::SameFault);
  EXPECT_EQ(fault.verdict.code(), 2u);
  EXPECT_EQ(fault.schedule.size(), 1u);
  EXPECT_EQ(fault.schedule.submissions().size(), 0u);
}

TEST(Shrink, IterationsComeDownToTheFirstThatStrays) {
  const auto schedule =
      test::build({test::repeat(1'000'000, {launch("1", {0})}, {{0, 0, 1}})}).value();
  const PlaneTable planes = planes_of({{"1", {fresh(kA)}}});
  const auto shrunk = shrink_arena(planes, schedule, Words::ByInterval, ShrinkTo::SameCode);
  EXPECT_EQ(shrunk.planes.phases()[0].planes.size(), 0u);
  const std::vector<Submission> none;
  EXPECT_EQ(shrunk.schedule, test::build({launch("1", {0})}, &none).value());
}

// The parts of planes and launches, in a form from which one can be taken.
ArenaCase case_of(const ShrunkArena& shrunk, std::uint64_t origin) {
  ArenaCase arena;
  arena.origin = origin;
  arena.alignment = shrunk.planes.alignment();
  arena.windows = {shrunk.planes.windows().begin(), shrunk.planes.windows().end()};
  arena.globals = {shrunk.planes.globals().begin(), shrunk.planes.globals().end()};
  arena.phases = {shrunk.planes.phases().begin(), shrunk.planes.phases().end()};
  const auto& schedule = shrunk.schedule;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const auto words = schedule.words(LaunchId(i));
    const Item::Written written = {schedule.phase(LaunchId(i)), {words.begin(), words.end()}};
    const Repeat* repeat = schedule.repeat_of(LaunchId(i));
    if (repeat == nullptr || repeat->first == i) arena.table.emplace_back();
    arena.table.back().body.push_back(written);
    for (Extent extent : schedule.extents(LaunchId(i))) {
      extent.launch = static_cast<std::uint32_t>(arena.table.back().body.size() - 1);
      arena.table.back().extents.push_back(extent);
    }
    if (repeat == nullptr) continue;
    arena.table.back().iterations = repeat->iterations;
    arena.table.back().deltas = repeat->deltas;
    arena.table.back().frames = repeat->frames;
  }
  arena.submissions = {schedule.submissions().begin(), schedule.submissions().end()};
  return arena;
}

// Every case with one part less.
std::vector<ArenaCase> with_one_less(const ArenaCase& whole) {
  std::vector<ArenaCase> cases;
  const auto drop_each = [&](const auto& list_of) {
    ArenaCase copy = whole;
    for (std::size_t i = 0; i < list_of(copy).size(); ++i) {
      cases.push_back(whole);
      auto& list = list_of(cases.back());
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  drop_each([](ArenaCase& arena) -> auto& { return arena.windows; });
  drop_each([](ArenaCase& arena) -> auto& { return arena.globals; });
  drop_each([](ArenaCase& arena) -> auto& { return arena.phases; });
  drop_each([](ArenaCase& arena) -> auto& { return arena.submissions; });
  for (std::size_t i = 0; i < whole.phases.size(); ++i) {
    drop_each([&](ArenaCase& arena) -> auto& { return arena.phases[i].planes; });
  }
  std::uint64_t launch_number = 0;
  for (std::size_t i = 0; i < whole.table.size(); ++i) {
    drop_each([&](ArenaCase& arena) -> auto& { return arena.table[i].deltas; });
    drop_each([&](ArenaCase& arena) -> auto& { return arena.table[i].frames; });
    drop_each([&](ArenaCase& arena) -> auto& { return arena.table[i].extents; });
    if (whole.table[i].iterations > 1) {
      cases.push_back(whole);
      --cases.back().table[i].iterations;
      for (Frame& frame : cases.back().table[i].frames) frame.values.pop_back();
    }
    if (whole.table[i].iterations > 0) {
      cases.push_back(whole);
      cases.back().table.erase(cases.back().table.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t j = whole.table[i].body.size(); j-- > 0;) {
        const auto at = cases.back().table.begin() + static_cast<std::ptrdiff_t>(i);
        Item alone{0, {whole.table[i].body[j]}, {}, {}, {}};
        for (Extent extent : whole.table[i].extents) {
          if (extent.launch != j) continue;
          extent.launch = 0;
          alone.extents.push_back(extent);
        }
        cases.back().table.insert(at, alone);
      }
    }
    for (std::uint32_t j = 0; j < whole.table[i].body.size(); ++j, ++launch_number) {
      const auto moves_left = [&](auto& moves, const auto& is_gone, const auto& renumber) {
        std::erase_if(moves, is_gone);
        for (auto& move : moves) renumber(move);
      };
      for (std::uint32_t word = 0; word < whole.table[i].body[j].words.size(); ++word) {
        cases.push_back(whole);
        Item& item = cases.back().table[i];
        item.body[j].words.erase(item.body[j].words.begin() + word);
        const auto is_gone = [&](const auto& m) { return m.launch == j && m.word == word; };
        const auto renumber = [&](auto& m) { m.word -= m.launch == j && m.word > word ? 1 : 0; };
        moves_left(item.deltas, is_gone, renumber);
        moves_left(item.frames, is_gone, renumber);
        moves_left(item.extents, is_gone, renumber);
      }
      cases.push_back(whole);
      ArenaCase& less = cases.back();
      Item& item = less.table[i];
      item.body.erase(item.body.begin() + j);
      const auto is_gone = [&](const auto& m) { return m.launch == j; };
      const auto renumber = [&](auto& m) { m.launch -= m.launch > j ? 1 : 0; };
      moves_left(item.deltas, is_gone, renumber);
      moves_left(item.frames, is_gone, renumber);
      moves_left(item.extents, is_gone, renumber);
      if (item.body.empty()) less.table.erase(less.table.begin() + static_cast<std::ptrdiff_t>(i));
      for (Submission& submission : less.submissions) {
        const std::uint64_t end = submission.first + submission.count;
        if (launch_number < submission.first) --submission.first;
        submission.count = end - (launch_number < end ? 1 : 0) - submission.first;
      }
    }
  }
  return cases;
}

FaultKind kind_of(const ArenaCase& arena, Words rule) {
  const auto schedule = test::build(arena.table, &arena.submissions).value();
  const PlaneTable planes = arena.planes();
  return fault_kind(arena_report(planes, schedule, judge_arena(planes, schedule, rule)));
}

TEST(Shrink, EarnsTheSameCodeAndWithOnePartLessAnother) {
  std::mt19937_64 random(1);
  std::array<int, 7> kinds{};
  for (int i = 0; i < 1500; ++i) {
    const ArenaCase arena =
        i % 4 < 2 ? test::random_arena(random) : test::random_arena_with_extents(random);
    const bool exact = i % 2 == 0;
    const auto rule = exact ? Words::OneByOne : Words::ByInterval;
    const auto schedule = test::build(arena.table, &arena.submissions).value();
    const Verdict verdict = judge_arena(arena.planes(), schedule, rule);
    if (verdict.certified()) continue;
    ++kinds[verdict.finding.index() - 1];
    const auto same = shrink_arena(arena.planes(), schedule, rule, ShrinkTo::SameCode);
    const auto small = shrink_arena(arena.planes(), schedule, rule, ShrinkTo::SameFault);
    EXPECT_TRUE(same.minimal && small.minimal);
    const FaultKind kind = kind_of(arena, rule);
    EXPECT_EQ(kind_of(case_of(small, arena.origin), rule), kind);
    const ArenaCase shrunk = case_of(same, arena.origin);
    EXPECT_EQ(oracle::arena_code(shrunk, exact), verdict.code()) << "case " << i;
    for (const ArenaCase& less : with_one_less(shrunk)) {
      const bool is_same =
          oracle::arena_code(less, exact) == verdict.code() && kind_of(less, rule) == kind;
      EXPECT_FALSE(is_same) << "case " << i;
    }
    for (const ArenaCase& less : with_one_less(case_of(small, arena.origin))) {
      EXPECT_NE(kind_of(less, rule), kind) << "case " << i;
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "case " << i;
  }
  for (const int count : kinds) EXPECT_GT(count, 10);
}

}  // namespace
}  // namespace berth
