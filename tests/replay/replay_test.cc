#include "berth/replay/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "berth/certify/arena_judge.h"
#include "berth/live/schedule_lives.h"
#include "berth/lower/lower.h"
#include "berth/plan/pack.h"
#include "berth/plan/rewrite.h"
#include "berth/replay/explain_replay.h"
#include "tests/support/schedules.h"

// Replay against the certificate. BERTH_REPLAY_CASES and BERTH_REPLAY_SEED in the environment ask
// for a longer run, or another one:
//
//   BERTH_REPLAY_CASES=100000 build/dev/tests/replay_tests --gtest_filter='*Certificate*'

namespace berth {
namespace {

using test::Draft;
using test::Letters;

// A schedule with its buffers at places that need not be sound.
struct Placed {
  explicit Placed(const Schedule& original)
      : schedule(original),
        lives(schedule_instance(original).value()),
        packing(std::get<Packing>(pack(lives.instance, {.packer = "tlsf"}).value())) {}

  void move(std::size_t buffer, Offset place) {
    packing.placement.places[buffer] = place;
    const BufferId id(buffer);
    Bytes& peak = packing.arenas[lives.instance[id].device.index()].peak;
    peak = std::max(peak, Bytes(place.value()) + lives.instance.extent(id));
  }
  Schedule rewritten() const {
    return rewrite(schedule, lives.ops, lives.instance, packing).value();
  }
  LoweredSchedule lowered() const {
    std::vector<Address> arenas;
    std::uint64_t from = 0x10000;
    for (const ArenaFigures& arena : packing.arenas) {
      arenas.emplace_back(from);
      from += round_up(arena.peak, *Alignment::of(4096)).count();
    }
    return lower(schedule, lives.instance, lives.ops, packing, arenas).value();
  }

  Schedule schedule;
  ScheduleInstance lives;
  Packing packing;
};

// c0 writes a, c1 writes b, c2 reads a and writes c, c3 reads b and c: 100 bytes each.
struct Crossing {
  Crossing() {
    a = draft.buffer("a", 100);
    b = draft.buffer("b", 100);
    c = draft.buffer("c", 100);
  }
  Schedule schedule() {
    return draft.schedule({draft.call("c0", {a}, "w"), draft.call("c1", {b}, "w"),
                           draft.call("c2", {a, c}, "rw"), draft.call("c3", {b, c}, "rr")});
  }

  Draft draft;
  OpId a, b, c;
};

TEST(Replay, EveryReadOfASoundPlacementFindsWhatWasWritten) {
  const Placed placed(Crossing().schedule());
  for (const auto& report :
       {replay(placed.rewritten()).value(), replay(placed.rewritten(), placed.schedule).value(),
        replay(placed.schedule).value()}) {
    EXPECT_TRUE(report.sound());
    EXPECT_EQ(report.calls, 4u);
    EXPECT_EQ(report.reads, 3u);
    EXPECT_TRUE(report.undefined.empty());
  }
}

TEST(Replay, AValueOverwrittenBeforeItIsReadIsNamedWithWhoTookItsBytes) {
  Placed placed(Crossing().schedule());
  placed.move(0, Offset(0));
  placed.move(1, Offset(0));
  const Schedule rewritten = placed.rewritten();
  const auto report = replay(rewritten, placed.schedule).value();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(explain(report, rewritten, placed.schedule),
            "wrong read: step 2 (c2), argument 0 reads bytes [0, 100) of a in bytes [0, 100) of "
            "slot 3 on GPU\n"
            "  written by step 0 (c0), argument 0\n"
            "  overwritten by step 1 (c1), argument 0: bytes [0, 100) of b\n"
            "3 calls run, 1 reads checked\n");
}

TEST(Replay, TheFirstByteThatIsNotThereIsNamed) {
  Draft draft;
  const OpId a = draft.buffer("a", 600);
  const OpId b = draft.buffer("b", 256);
  Placed placed(draft.schedule({draft.call("c0", {a}, "w"), draft.call("c1", {b}, "w"),
                                draft.call("c2", {draft.view(a, 100, 600)}, "r")}));
  placed.move(0, Offset(0));
  placed.move(1, Offset(256));
  const Schedule rewritten = placed.rewritten();
  for (const auto& report :
       {replay(rewritten).value(), replay(rewritten, placed.schedule).value()}) {
    ASSERT_FALSE(report.sound());
    EXPECT_EQ(report.wrong->bytes, (ByteRange{256, 512}));
    EXPECT_EQ(report.wrong->place, 256u);
    EXPECT_EQ(report.wrong->written.step, 0u);
    EXPECT_EQ(report.wrong->overwritten->step, 1u);
    EXPECT_EQ(report.wrong->taken_by, (ByteRange{0, 256}));
  }
}

TEST(Replay, AResultOverAnOperandOfTheSameCallIsAWrongRead) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId b = draft.buffer("b", 90);
  Placed placed(draft.schedule({draft.call("c0", {a}, "w"), draft.call("c1", {b, a}, "wr")}));
  placed.move(0, Offset(0));
  placed.move(1, Offset(0));
  const auto report = replay(placed.rewritten()).value();
  ASSERT_FALSE(report.sound());
  EXPECT_EQ(report.wrong->reader.step, 1u);
  EXPECT_EQ(report.wrong->overwritten->step, 1u);
  EXPECT_EQ(report.wrong->overwritten->argument, 0u);
}

TEST(Replay, WhatIsWrittenInPlaceIsFound) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId half = draft.view(a, 50, 100);
  const Schedule schedule = draft.schedule(
      {draft.call("c0", {a}, "w"), draft.call("c1", {a, half}, "rb"), draft.call("c2", {a}, "r")});
  EXPECT_TRUE(replay(Placed(schedule).rewritten()).value().sound());
}

// In the first pass a is what c0 left; b then takes its bytes.
TEST(Replay, TheSecondPassOfALoopFindsWhatTheFirstHasLost) {
  for (const std::uint64_t count : {1, 2, 1000}) {
    Draft draft;
    const OpId a = draft.buffer("a", 100);
    const OpId b = draft.buffer("b", 99);
    Placed placed(draft.schedule(
        {draft.call("c0", {a}, "w"),
         draft.loop({draft.call("c1", {a}, "r"), draft.call("c2", {b}, "w")}, count)}));
    placed.move(0, Offset(0));
    placed.move(1, Offset(0));
    EXPECT_EQ(replay(placed.rewritten()).value().sound(), count == 1);
  }
}

TEST(Replay, TheFlagOfALoopIsReadAfterEachPass) {
  Draft draft;
  const OpId flag = draft.buffer("flag", 1);
  const OpId a = draft.buffer("a", 100);
  const OpId body = draft.add(linear_op({draft.call("c1", {a}, "w")}));
  Placed placed(
      draft.schedule({draft.call("c0", {flag}, "w"), draft.add(back_edge_op(body, flag))}));
  EXPECT_TRUE(replay(placed.rewritten()).value().sound());
  placed.move(0, Offset(0));
  placed.move(1, Offset(0));
  const Schedule rewritten = placed.rewritten();
  const auto report = replay(rewritten, placed.schedule).value();
  ASSERT_FALSE(report.sound());
  EXPECT_TRUE(explain(report, rewritten, placed.schedule)
                  .starts_with("wrong read: step 1 (flag of a loop), argument 0 reads"));
}

TEST(Replay, ALoopThatRunsNoTimeReadsNothing) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const auto report = replay(draft.schedule({draft.loop({draft.call("c1", {a}, "r")}, 0)})).value();
  EXPECT_EQ(report.calls, 0u);
  EXPECT_TRUE(report.undefined.empty());
}

TEST(Replay, AReadOfWhatNobodyWroteIsNotedAndNotWrong) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId held = draft.buffer("held", 100);
  const OpId param = draft.add(param_op({.slot = 0, .elements = 8, .device = "GPU"}));
  const Schedule schedule = draft.schedule(
      {draft.call("c0", {a, held, param}, "rrr"), draft.call("c1", {a}, "r")}, {held});
  const auto report = replay(schedule).value();
  EXPECT_TRUE(report.sound());
  ASSERT_EQ(report.undefined.size(), 1u);
  EXPECT_EQ(report.undefined[0].tensor, a);
  EXPECT_NE(explain(report, schedule, schedule).find("step 0 (c0), argument 0 reads a before"),
            std::string::npos);
}

// a and c are one node once both are placed at 0.
TEST(Replay, BuffersOfOneTypeAndSizeAtOnePlaceAreToldApartByTheOriginal) {
  Placed placed(Crossing().schedule());
  placed.move(0, Offset(0));
  placed.move(1, Offset(0));
  EXPECT_TRUE(replay(placed.rewritten()).value().sound());
  EXPECT_FALSE(replay(placed.rewritten(), placed.schedule).value().sound());
  placed.move(1, Offset(256));
  placed.move(2, Offset(256));
  EXPECT_FALSE(replay(placed.rewritten(), placed.schedule).value().sound());
}

TEST(Replay, ViewsOfABufferThatIsNoArenaAreTheBuffer) {
  Draft draft;
  const OpId cache = draft.buffer("cache", 512);
  const Schedule schedule = draft.schedule({draft.call("c0", {draft.view(cache, 0, 256)}, "w"),
                                            draft.call("c1", {draft.view(cache, 256, 512)}, "w"),
                                            draft.call("c2", {draft.view(cache, 0, 512)}, "r")});
  const auto report = replay(schedule).value();
  EXPECT_TRUE(report.sound());
  EXPECT_TRUE(report.undefined.empty());
}

TEST(Replay, AScheduleThatIsNotTheOriginalIsRefused) {
  const Placed placed(Crossing().schedule());
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId other = draft.call("c9", {a}, "w");
  EXPECT_FALSE(replay(placed.rewritten(), draft.schedule({other})));
  EXPECT_FALSE(replay(placed.rewritten(), draft.schedule({other, other, other, other})));
}

// Its calls and bytes are those of the original, but no rewrite puts its buffers where these are.
TEST(Replay, AScheduleWhoseBuffersCannotHaveBecomeTheseIsRefused) {
  const Placed placed(Crossing().schedule());
  EXPECT_FALSE(replay(placed.schedule, placed.rewritten()));  // the wrong way round

  Crossing held;
  const Schedule its = held.schedule();
  const std::vector<OpId> entries(its.entries().begin(), its.entries().end());
  EXPECT_FALSE(replay(placed.rewritten(), held.draft.schedule(entries, {held.a})));

  const auto crossing_of = [](const Op& a) {
    Draft draft;
    const OpId first = draft.add(a);
    const OpId b = draft.buffer("b", 100);
    const OpId c = draft.buffer("c", 100);
    return draft.schedule({draft.call("c0", {first}, "w"), draft.call("c1", {b}, "w"),
                           draft.call("c2", {first, c}, "rw"), draft.call("c3", {b, c}, "rr")});
  };
  Storage a = {.slot = 9, .elements = 100, .device = "GPU", .skew = 0, .name = "a"};
  EXPECT_TRUE(replay(placed.rewritten(), crossing_of(buffer_op(a))));
  EXPECT_FALSE(replay(placed.rewritten(), crossing_of(param_op(a))));
  a.device = "CPU";
  EXPECT_FALSE(replay(placed.rewritten(), crossing_of(buffer_op(a))));
  a.device = "GPU";
  a.dtype = Dtype::of("uint8").value();
  EXPECT_FALSE(replay(placed.rewritten(), crossing_of(buffer_op(a))));
}

TEST(Replay, LoopsInsideLoopsStopAtALimit) {
  Draft draft;
  OpId loop = draft.call("k", {draft.buffer("a", 8)});
  for (int level = 0; level < 60; ++level) loop = draft.loop({loop, loop});
  const auto report = replay(draft.schedule({loop}));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::Limit);
}

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Puts a buffer anywhere, often where another one of its device is.
void damage(Placed& placed, std::mt19937_64& random) {
  const std::size_t buffers = placed.lives.instance.size();
  if (buffers == 0) return;
  const std::size_t moved = random() % buffers;
  const std::size_t onto = random() % buffers;
  const Offset other = placed.packing.placement.places[onto];
  placed.move(moved, random() % 4 == 0 ? Offset(random() % 16 * 256) : other);
}

TEST(Replay, FindsAWrongReadOnlyWhereTheCertificateIsRefused) {
  const std::uint64_t cases = number_from_environment("BERTH_REPLAY_CASES", 10'000);
  std::mt19937_64 random(number_from_environment("BERTH_REPLAY_SEED", 1));
  std::uint64_t wrong = 0;
  std::uint64_t wrong_alone = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const auto letters = i % 2 == 0 ? Letters::Some : Letters::None;
    Placed placed(test::random_schedule(random, letters));
    const bool is_damaged = i % 4 != 0;
    if (is_damaged) damage(placed, random);
    const Schedule rewritten = placed.rewritten();
    const auto report = replay(rewritten, placed.schedule);
    ASSERT_TRUE(report) << "case " << i << ": " << to_string(report.error());
    const auto alone = replay(rewritten).value();
    const auto [planes, launches, warnings] = placed.lowered();
    const bool certified = judge_arena(planes, without_extents(launches)).certified();
    // Extents do not say of what nobody has written that it is read: of that, warnings tell.
    ASSERT_EQ(certified, judge_arena(planes, launches).certified()) << "case " << i;
    ASSERT_TRUE(certified || is_damaged) << "case " << i;
    ASSERT_TRUE(report->sound() || !certified) << "case " << i << "\n"
                                               << explain(*report, rewritten, placed.schedule);
    ASSERT_TRUE(alone.sound() || !certified) << "case " << i << "\n"
                                             << explain(alone, rewritten, rewritten);
    // The original tells more tensors apart.
    ASSERT_TRUE(alone.sound() || !report->sound()) << "case " << i;
    wrong += report->sound() ? 0 : 1;
    wrong_alone += alone.sound() ? 0 : 1;
    refused += certified ? 0 : 1;
  }
  EXPECT_GT(wrong * 30, cases) << "or the test shows nothing";
  EXPECT_GT(wrong_alone * 50, cases);
  EXPECT_GT(refused, wrong);
}

}  // namespace
}  // namespace berth
