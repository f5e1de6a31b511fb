// Kinds A, B, C, I, J, K: how long a buffer lives, and what keeps it alive.
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::arena_bytes;
using test::Draft;
using test::is_planned;
using test::life;
using test::planned;
using test::share_a_byte;

TEST(BugCorpus, A1_AViewKeepsItsBufferAlive) {
  Draft s;
  const OpId a = s.buffer("a", 1024), b = s.buffer("b", 1024), c = s.buffer("c", 1024);
  const OpId o = s.buffer("o", 1024);
  const Plan plan =
      planned(s.schedule({s.call("c0", {a}), s.call("c1", {a, b}), s.call("c2", {b, c}),
                          s.call("c3", {s.view(a, 0, 1024), c, o})}));
  EXPECT_EQ(life(plan, "a"), (LiveRange{0, 4}));
  EXPECT_FALSE(share_a_byte(plan, "a", "c"));
  EXPECT_EQ(arena_bytes(plan), 3072u);
}

TEST(BugCorpus, A2_ACropOfTheWholeIsAViewLikeAnyOther) {
  for (const std::uint64_t end : {1024, 1020}) {
    Draft s;
    const OpId a = s.buffer("a", 1024), b = s.buffer("b", 1024), o = s.buffer("o", 256);
    const OpId crop = s.view(a, 0, end);
    const Plan plan = planned(s.schedule(
        {s.call("c0", {a}), s.call("c1", {crop}), s.call("c2", {b}), s.call("c3", {crop, b, o})}));
    EXPECT_EQ(life(plan, "a"), (LiveRange{0, 4}));
    EXPECT_EQ(arena_bytes(plan), 2304u);
  }
}

TEST(BugCorpus, A3_AReshapeReadTwiceKeepsItsProducer) {
  Draft s;
  const OpId a = s.buffer("a", 512), m = s.buffer("m", 256), n = s.buffer("n", 512);
  const OpId o = s.buffer("o", 512);
  const OpId v = s.add(bitcast_op(a, *Dtype::of("float32")));
  const Plan plan = planned(s.schedule(
      {s.call("c0", {a}), s.call("c1", {v, m}), s.call("c2", {v, m, n}), s.call("c3", {n, o})}));
  EXPECT_EQ(life(plan, "a"), (LiveRange{0, 3}));
  EXPECT_FALSE(share_a_byte(plan, "a", "n"));
  EXPECT_FALSE(share_a_byte(plan, "a", "m"));
  EXPECT_EQ(arena_bytes(plan), 1280u);
}

TEST(BugCorpus, A4_ATensorInsideAnotherKeepsThatOneAlive) {
  Draft s;
  const OpId b = s.buffer("B", 1024), c = s.buffer("C", 1024);
  const OpId inside = s.view(b, 256, 512);
  const Schedule schedule = s.schedule({s.call("c0", {b}), s.call("c1", {b}), s.call("c2", {}),
                                        s.call("c3", {c}), s.call("c4", {inside, c})});
  const auto found = test::answer(write_schedule(schedule)).value();
  const auto& file = std::get<PlannedFile>(found);
  EXPECT_EQ(life(file.plan, "B"), (LiveRange{0, 5}));
  EXPECT_FALSE(share_a_byte(file.plan, "B", "C"));
  EXPECT_EQ(arena_bytes(file.plan), 2048u);
  const Schedule& after = file.rewritten.value();
  const auto first = [&](std::size_t entry) {
    return test::argument(after.graph(), after.entries()[entry], 0).bytes.lower;
  };
  EXPECT_EQ(first(4), first(0) + 256);
}

TEST(BugCorpus, A5_AViewPastItsEndIsRefusedByName) {
  EXPECT_EQ(test::refusal(R"({"format": "berth.schedule/1", "ops": [
 {"op": "buffer", "slot": 0, "dtype": "int8", "size": 256, "device": "GPU", "name": "a"},
 {"op": "shrink", "src": [0], "begin": 128, "end": 320},
 {"op": "linear", "src": []}], "root": 2})"),
            "case:3:52: ops[1].end: view [128, 320) of a ends past it: end 320 > 256 elements of "
            "int8 (a view must lie inside what it views)");
}

TEST(BugCorpus, B1_WhatALoopYieldsLivesOnBehindIt) {
  Draft s;
  const OpId acc = s.buffer("acc", 1024), res = s.buffer("res", 1024), o = s.buffer("o", 1024);
  const Plan plan = planned(s.schedule({s.call("c0", {acc}), s.loop({s.call("body", {acc})}),
                                        s.call("c2", {res}), s.call("c3", {acc, res, o})}));
  EXPECT_EQ(life(plan, "acc"), (LiveRange{0, 4}));
  EXPECT_FALSE(share_a_byte(plan, "acc", "res"));
  EXPECT_EQ(arena_bytes(plan), 3072u);
}

TEST(BugCorpus, B2_WhatALoopReadsLivesThroughAllOfIt) {
  Draft s;
  const OpId inv = s.buffer("inv", 256), t = s.buffer("t", 256), r = s.buffer("s", 256);
  const OpId out = s.buffer("out", 256);
  const OpId loop =
      s.loop({s.call("l0", {inv, t}), s.call("l1", {t, r}), s.call("l2", {r, out})}, 2);
  const Plan plan = planned(s.schedule({s.call("c0", {inv}), loop, s.call("c2", {out})}));
  EXPECT_EQ(arena_bytes(plan), 1024u);
  for (const char* other : {"t", "s", "out"}) EXPECT_FALSE(share_a_byte(plan, "inv", other));
}

TEST(BugCorpus, B4_ALastUseInsideALoopIsTheLoopsOwn) {
  Draft s;
  const OpId a = s.buffer("a", 256), t = s.buffer("t", 256), u = s.buffer("u", 256);
  const OpId b = s.buffer("b", 256);
  const Plan plan = planned(
      s.schedule({s.call("c0", {a}), s.loop({s.call("r0", {t}), s.call("r1", {a, t, u})}, 1),
                  s.call("c2", {u, b})}));
  EXPECT_FALSE(share_a_byte(plan, "a", "t"));
  EXPECT_FALSE(share_a_byte(plan, "a", "u"));
  EXPECT_EQ(arena_bytes(plan), 768u);
}

TEST(BugCorpus, B5_WhatALoopCarriesIsOneStorage) {
  Draft s;
  const OpId i = s.buffer("i", 512), o = s.buffer("o", 512);
  const OpId x = s.add(bitcast_op(i, *Dtype::of("float32")));
  const OpId n = s.add(bitcast_op(i, *Dtype::of("int32")));
  const Plan plan = planned(
      s.schedule({s.call("c0", {i}), s.loop({s.call("body", {x, n})}), s.call("c2", {x, o})}));
  EXPECT_EQ(plan.buffers.size(), 2u);
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, B6_AFirstWriteInsideALoopEndsNoLife) {
  Draft s;
  const OpId a = s.buffer("a", 256), t = s.buffer("t", 256), b = s.buffer("b", 256);
  const OpId o = s.buffer("o", 256);
  const Plan plan = planned(
      s.schedule({s.call("c0", {a}), s.call("c1", {t}),
                  s.loop({s.call("l0", {a}), s.call("l1", {a, b})}, 0), s.call("c3", {a, o})}));
  EXPECT_EQ(life(plan, "a"), (LiveRange{0, 4}));
  EXPECT_FALSE(share_a_byte(plan, "a", "t"));
  EXPECT_EQ(arena_bytes(plan), 512u);
}

TEST(BugCorpus, B7_AResultInsideALoopIsNotOnAnInputReadNextTurn) {
  Draft s;
  const OpId v = s.buffer("v", 512), w = s.buffer("w", 512);
  const Plan plan =
      planned(s.schedule({s.call("c0", {v}), s.loop({s.call("body", {v, w})}), s.call("c2", {w})}));
  EXPECT_FALSE(share_a_byte(plan, "v", "w"));
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, B7_InAProgramToo) {
  const std::string program = R"({"format": "berth.program/1", "name": "b7", "tensors": [
    {"name": "v", "kind": "intermediate", "bytes": 512},
    {"name": "w", "kind": "intermediate", "bytes": 512}],
    "phases": [
    {"name": "c0", "body": [{"write": "v", "bytes": 512}]},
    {"name": "c1", "body": [{"loop": 4, "body": [{"read": "v", "bytes": 512},
                             {"write": "w", "bytes": 512, "reuses": "v"}]}]},
    {"name": "c2", "body": [{"read": "w", "bytes": 512}]}]})";
  const Plan plan = planned(program);
  EXPECT_FALSE(share_a_byte(plan, "v", "w"));
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, C3_AResultThatNobodyReadsLivesAtItsCall) {
  Draft s;
  const OpId a = s.buffer("a", 256), dead = s.buffer("dead", 256), b = s.buffer("b", 256);
  const Plan plan =
      planned(s.schedule({s.call("c0", {a, dead}), s.call("c1", {a, b}), s.call("c2", {b})}));
  EXPECT_EQ(life(plan, "dead"), (LiveRange{0, 1}));
  EXPECT_FALSE(share_a_byte(plan, "a", "dead"));
  EXPECT_EQ(arena_bytes(plan), 512u);
}

TEST(BugCorpus, C4_WhatACallInsideTakesIsPlannedToo) {
  Draft s;
  const OpId t = s.buffer("s", 256), g = s.buffer("g", 256), o = s.buffer("o", 256);
  const Plan plan = planned(s.schedule(
      {s.loop({s.call("o0", {t}), s.call("o1", {t, g})}, 1), s.call("c1", {g, o})}, {g}));
  EXPECT_EQ(life(plan, "s"), (LiveRange{0, 1}));
  EXPECT_EQ(arena_bytes(plan), 256u);
}

TEST(BugCorpus, C5_InnerCallsAreOnTheClockOfTheirCaller) {
  Draft s;
  const OpId x = s.buffer("x", 256), g1 = s.buffer("g1", 512), g2 = s.buffer("g2", 256);
  const Plan plan = planned(
      s.schedule({s.call("c0", {x}), s.loop({s.call("g0", {g1}), s.call("g1", {g1, g2})}, 1),
                  s.call("c2", {x, g2})}));
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, I1_NothingIsWrittenInPlaceUnasked) {
  Draft s;
  const OpId b = s.buffer("b", 256), p = s.buffer("p", 256), d = s.buffer("d", 256);
  const Plan plan =
      planned(s.schedule({s.call("c0", {b}), s.call("c1", {b, p}), s.call("c2", {b, p, d})}));
  EXPECT_FALSE(share_a_byte(plan, "p", "b"));
  EXPECT_EQ(arena_bytes(plan), 768u);
}

TEST(BugCorpus, I4_NothingIsPlacedOnAHeldWeight) {
  Draft s;
  const OpId w0 = s.buffer("w0", 256), u = s.buffer("u", 256);
  const Plan plan = planned(s.schedule({s.call("c0", {w0, u}), s.call("c1", {u})}, {w0}));
  EXPECT_FALSE(is_planned(plan, "w0"));
  EXPECT_TRUE(is_planned(plan, "u"));
  EXPECT_EQ(arena_bytes(plan), 256u);
}

TEST(BugCorpus, J1_JustTheNamedStateIsHeld) {
  Draft s;
  const OpId h = s.buffer("h", 256), h2 = s.buffer("h2", 256), t = s.buffer("t", 512);
  const OpId o = s.buffer("o", 256);
  PlanOptions options;
  options.hold = {"h", "h2"};
  const Plan plan = planned(
      s.schedule({s.call("c0", {h, h2}), s.call("c1", {t}), s.call("c2", {t, o})}), options);
  EXPECT_EQ(plan.buffers.size(), 2u);
  EXPECT_EQ(arena_bytes(plan), 768u);
}

TEST(BugCorpus, J2_AFixedStateStaysWhereItIs) {
  const Plan plan = planned("id,lower,upper,size,offset\ns,0,3,256,0\na,0,2,256,\nb,1,3,256,-1\n");
  EXPECT_EQ(test::offset(plan, "s"), 0u);
  EXPECT_EQ(arena_bytes(plan), 768u);
}

TEST(BugCorpus, K1_AHeldBufferIsInNoArena) {
  Draft s;
  const OpId g = s.buffer("g", 256), t = s.buffer("t", 256), o = s.buffer("o", 256);
  const Plan plan =
      planned(s.schedule({s.call("c0", {g}), s.call("c1", {t}), s.call("c2", {t, o})}, {g}));
  EXPECT_FALSE(is_planned(plan, "g"));
  EXPECT_EQ(plan.kept, (std::vector<KeptTensor>{{"g", KeptWhy::Held, Bytes(256), "GPU"}}));
  EXPECT_EQ(arena_bytes(plan), 512u);
}

TEST(BugCorpus, K2_AHeldViewHoldsTheBufferUnderIt) {
  Draft s;
  const OpId a = s.buffer("a", 512), b = s.buffer("b", 512), c = s.buffer("c", 512);
  const Plan plan = planned(s.schedule(
      {s.call("c0", {a}), s.call("c1", {a, b}), s.call("c2", {b, c})}, {s.view(a, 0, 256)}));
  EXPECT_FALSE(is_planned(plan, "a"));
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, K3_AResultInTheCallersHandsIsTheBufferItWas) {
  Draft s;
  const OpId t = s.buffer("t", 256), o = s.buffer("o", 256);
  const Schedule schedule = s.schedule({s.call("c0", {t}), s.call("c1", {t, o})}, {o});
  for (int run = 0; run < 2; ++run) {
    const auto found = test::answer(write_schedule(schedule)).value();
    const Schedule& after = std::get<PlannedFile>(found).rewritten.value();
    const OpGraph& graph = after.graph();
    EXPECT_EQ(graph.storage(test::argument(graph, after.entries()[1], 1).base),
              schedule.graph().storage(o));
  }
}

TEST(BugCorpus, K5_TheResultOfARecordedRegionIsHeldByNaming) {
  Draft s;
  const OpId t = s.buffer("s", 256), o = s.buffer("o", 256);
  const Plan plan = planned(s.schedule({s.call("c0", {t}), s.call("c1", {t, o})}, {o}));
  EXPECT_FALSE(is_planned(plan, "o"));
  EXPECT_EQ(arena_bytes(plan), 256u);
}

}  // namespace
}  // namespace berth
