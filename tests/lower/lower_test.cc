#include "berth/lower/lower.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/certify/arena_coverage.h"
#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "berth/live/schedule_lives.h"
#include "berth/plan/pack.h"
#include "tests/support/arenas.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::carried;
using test::Draft;
using test::fresh;
using test::range;

struct Placed {
  ScheduleInstance lives;
  Packing packing;
};

Placed placed(const Schedule& schedule) {
  auto lives = schedule_instance(schedule).value();
  auto packing = std::get<Packing>(pack(lives.instance, {.packer = "tlsf"}).value());
  return {std::move(lives), std::move(packing)};
}

std::vector<Address> bases(const Placed& placed, std::uint64_t from = 0x10000) {
  std::vector<Address> arenas;
  for (const ArenaFigures& arena : placed.packing.arenas) {
    arenas.emplace_back(from);
    from += round_up(arena.peak, *Alignment::of(4096)).count();
  }
  return arenas;
}

LoweredSchedule lowered(const Schedule& schedule) {
  const Placed p = placed(schedule);
  return lower(schedule, p.lives.instance, p.lives.ops, p.packing, bases(p)).value();
}

Verdict judged(const LoweredSchedule& lowered) {
  return judge_arena(lowered.planes, lowered.launches);
}

std::vector<std::uint64_t> words(const LoweredSchedule& lowered, std::size_t launch) {
  const auto words = lowered.launches.words(LaunchId(launch));
  return {words.begin(), words.end()};
}

TEST(Lower, AnEntryIsAPhaseWhoseBuffersAreFreshFirstAndCarriedLater) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId b = draft.buffer("b", 100);
  const OpId c = draft.buffer("c", 100);
  const auto answer = lowered(draft.schedule(
      {draft.call("fill", {a}), draft.call("double", {a, b}), draft.call("double", {b, c})}));
  // c takes the bytes of a.
  const NamedRange at_a = range("a", 0x10000, 100);
  const NamedRange at_b = range("b", 0x10100, 100);
  const NamedRange at_c = range("c", 0x10000, 100);
  const auto same = PlaneTable::make(256, {{Address(0x10000), Bytes(512)}}, {},
                                     {{"step 0 (fill)", {fresh(at_a)}},
                                      {"step 1 (double)", {carried(at_a), fresh(at_b)}},
                                      {"step 2 (double)", {carried(at_b), fresh(at_c)}}});
  EXPECT_EQ(answer.planes, *same);
  EXPECT_EQ(words(answer, 1), (std::vector<std::uint64_t>{0x10000, 0x10100}));
  EXPECT_EQ(answer.launches.name(LaunchId(1)), "double");
  EXPECT_EQ(answer.launches.submissions().size(), 1u);
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, WhatIsNotPlannedIsAGlobalOnAPageAfterTheArenas) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId held = draft.buffer("held", 5000, "GPU", 8);
  const OpId param = draft.add(param_op({.slot = 3, .elements = 10, .device = "GPU"}));
  const auto answer =
      lowered(draft.schedule({draft.call("k", {a, held, draft.view(param, 4, 6)})}, {held}));
  EXPECT_EQ(answer.planes.globals()[0], range("held", 0x10000008, 5000));
  EXPECT_EQ(answer.planes.globals()[1], range("param 3", 0x10002000, 10));
  EXPECT_EQ(words(answer, 0), (std::vector<std::uint64_t>{0x10000, 0x10000008, 0x10002004}));
  EXPECT_EQ(answer.planes.windows().size(), 3u);
  EXPECT_EQ(answer.planes.alignment(), 8u);
  EXPECT_TRUE(arena_coverage(answer.planes, answer.launches).outside.empty());
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, ACountedLoopOfCallsIsARepeatInOnePhase) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const auto answer = lowered(
      draft.schedule({draft.loop({draft.call("k", {a}), draft.call("l", {a})}, 1'000'000)}));
  ASSERT_EQ(answer.launches.repeats().size(), 1u);
  EXPECT_EQ(answer.launches.repeats()[0].iterations, 1'000'000u);
  EXPECT_EQ(answer.launches.repeats()[0].count, 2u);
  EXPECT_EQ(answer.planes.phases().size(), 1u);
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, LoopsInsideLoopsAndThoseOfAFlagShowEachCallOnce) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId flag = draft.buffer("flag", 1);
  const OpId inner = draft.loop({draft.call("k", {a})}, 3);
  const OpId outer = draft.loop({inner, draft.call("l", {a}), inner}, 2);
  const OpId until = draft.add(back_edge_op(draft.add(linear_op({draft.call("m", {a})})), flag));
  const auto answer = lowered(draft.schedule({outer, until}));
  EXPECT_EQ(answer.launches.size(), 3u);
  EXPECT_TRUE(answer.launches.repeats().empty());
  const auto& last = answer.planes.phases()[1].planes;
  EXPECT_TRUE(std::ranges::any_of(last, [](const Plane& p) { return p.range.name == "flag"; }));
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, ALoopThatRunsNoTimeDeclaresNothing) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId call = draft.call("k", {a});
  const auto answer = lowered(draft.schedule({draft.loop({call}, 0), call}));
  EXPECT_EQ(answer.launches.size(), 1u);
  EXPECT_TRUE(answer.planes.phases()[0].planes.empty());
  EXPECT_FALSE(answer.planes.phases()[1].planes[0].carried);
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, AnArgumentWithoutBytesHasNoWord) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const auto answer = lowered(
      draft.schedule({draft.call("k", {draft.view(a, 100, 100), a, draft.buffer("empty", 0)})}));
  EXPECT_EQ(words(answer, 0).size(), 1u);
  EXPECT_TRUE(judged(answer).certified());
}

TEST(Lower, ABufferThatIsReadBeforeItIsWrittenIsWarnedOf) {
  Draft draft;
  const OpId a = draft.buffer("a", 100);
  const OpId b = draft.buffer("b", 100);
  const auto call = [&](std::string access) {
    return draft.add(call_op(draft.add(kernel_op("k")), std::array{a, b}, std::move(access)));
  };
  EXPECT_EQ(lowered(draft.schedule({call("rw"), call("wr")})).warnings,
            std::vector<std::string>{"step 0 (k) reads a before anything writes it"});
  EXPECT_TRUE(lowered(draft.schedule({call("wb"), call("rr")})).warnings.empty());
}

TEST(Lower, ArenasThatShareAddressesOrPassTheEndAreRefused) {
  Draft draft;
  const OpId a = draft.buffer("a", 100, "GPU");
  const OpId b = draft.buffer("b", 100, "CPU");
  const Schedule schedule = draft.schedule({draft.call("k", {a, b})});
  const Placed p = placed(schedule);
  const auto refusal = [&](std::uint64_t first, std::uint64_t second) {
    const std::vector<Address> at = {Address(first), Address(second)};
    const auto answer = lower(schedule, p.lives.instance, p.lives.ops, p.packing, at);
    return answer ? "" : answer.error().message;
  };
  EXPECT_EQ(refusal(0x1000, 0x10ff), "the arenas of GPU and CPU share addresses");
  EXPECT_EQ(refusal(0x1000, UINT64_MAX - 254), "the arena of CPU ends past 2^64");
  EXPECT_EQ(refusal(0x1000, 0x1100), "");
}

TEST(Lower, EveryPlannedScheduleIsCertified) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 2000; ++i) {
    const Schedule schedule = test::random_schedule(random);
    const auto answer = lowered(schedule);
    const Verdict verdict = judged(answer);
    const auto report = arena_report(answer.planes, answer.launches, verdict);
    ASSERT_TRUE(verdict.certified()) << i << "\n"
                                     << explain(report, answer.planes, answer.launches);
  }
}

// The steps whose phases hold a buffer.
std::vector<std::size_t> steps_of(const PlaneTable& planes, const std::string& name) {
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < planes.phases().size(); ++i) {
    const auto& phase = planes[PhaseId(i)].planes;
    const bool holds =
        std::ranges::any_of(phase, [&](const Plane& plane) { return plane.range.name == name; });
    if (holds) steps.push_back(i);
  }
  return steps;
}

// Whether some step uses the one between, or in, two steps that use the other.
bool stands_between(const std::vector<std::size_t>& one, const std::vector<std::size_t>& other) {
  if (other.empty()) return false;
  return std::ranges::any_of(
      one, [&](std::size_t step) { return other.front() <= step && step <= other.back(); });
}

TEST(Lower, AValueOverwrittenWhileItIsStillToBeReadIsNotCertified) {
  std::mt19937_64 random(22);
  int damaged = 0;
  for (int i = 0; i < 3000; ++i) {
    const Schedule schedule = test::random_schedule(random);
    Placed p = placed(schedule);
    const Instance& instance = p.lives.instance;
    if (instance.size() < 2) continue;
    const BufferId moved(random() % instance.size());
    const BufferId onto(random() % instance.size());
    if (moved == onto || instance[moved].device != instance[onto].device) continue;
    auto& places = p.packing.placement.places;
    places[moved.index()] = places[onto.index()];
    Bytes& peak = p.packing.arenas[instance[moved].device.index()].peak;
    peak = std::max(peak, Bytes(places[onto.index()].value()) + instance.extent(moved));

    const auto answer = lower(schedule, instance, p.lives.ops, p.packing, bases(p)).value();
    const auto bytes_of = [&](BufferId id) {
      return addresses(Address((places[id.index()] + instance[id].skew).value()),
                       instance[id].size);
    };
    if (!bytes_of(moved).overlaps(bytes_of(onto))) continue;
    const auto moved_steps = steps_of(answer.planes, instance[moved].name);
    const auto onto_steps = steps_of(answer.planes, instance[onto].name);
    if (!stands_between(moved_steps, onto_steps) && !stands_between(onto_steps, moved_steps)) {
      continue;
    }
    EXPECT_FALSE(judged(answer).certified()) << i;
    ++damaged;
  }
  EXPECT_GT(damaged, 150);
}

}  // namespace
}  // namespace berth
