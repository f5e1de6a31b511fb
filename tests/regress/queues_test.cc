// Kind D: what runs beside something else, as far as lives and entries can say it.
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::arena_bytes;
using test::Draft;
using test::planned;
using test::share_a_byte;
using test::table;

TEST(BugCorpus, D1_WhatTwoQueuesMayUseAtOnceIsApart) {
  // With a queue for copies and no edge, the copy may still read when K1 runs: a lives on.
  EXPECT_EQ(arena_bytes(planned(table("a,0,3,1024\nb,2,3,1024\n"))), 2048u);
}

TEST(BugCorpus, D2_WhatRunsALevelAtATimeIsLiveALevelAtATime) {
  Draft s;
  const OpId a = s.buffer("a", 256), b = s.buffer("b", 256), c = s.buffer("c", 256);
  const OpId d = s.buffer("d", 256), o = s.buffer("o", 256);
  const OpId p0 = s.call("p0", {a}, "w"), q0 = s.call("q0", {a, c}, "rw");
  const OpId p1 = s.call("p1", {b}, "w"), q1 = s.call("q1", {b, d}, "rw");
  const OpId z = s.call("z", {c, d, o}, "rrw");
  EXPECT_EQ(arena_bytes(planned(s.schedule({p0, q0, p1, q1, z}))), 768u);
  // A level is one entry: what it takes is live together, in whatever order it runs.
  const Plan by_level = planned(s.schedule({s.loop({p0, p1}, 1), s.loop({q0, q1}, 1), z}));
  EXPECT_EQ(arena_bytes(by_level), 1024u);
  EXPECT_FALSE(share_a_byte(by_level, "a", "b"));
}

}  // namespace
}  // namespace berth
