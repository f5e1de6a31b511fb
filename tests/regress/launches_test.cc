// Kinds B3, D, J3, K4 and U: what launches find, and in which order.
#include <array>

#include "berth/certify/explain_placement.h"
#include "berth/formats/plan_json.h"
#include "berth/pipeline/certify_files.h"
#include "berth/pipeline/check_file.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

// Planes and launches as their files say them, judged.
CertifiedFiles judged(const std::string& planes, const std::string& launches) {
  auto files = certify_files({"planes.json", planes}, {"launches.json", launches}, {});
  if (!files) throw std::runtime_error(to_string(files.error()));
  return *std::move(files);
}

TEST(BugCorpus, J3_StateThatAStepLeavesForTheNextIsNotOverwritten) {
  const auto code = [](std::uint64_t scratch) {
    const std::string s = R"({"name": "S", "address": 0, "bytes": 256)";
    return judged(R"({"format": "berth.planes/1", "alignment": 128,
        "windows": [{"address": 0, "bytes": 4096}],
        "phases": [{"phase": "P", "planes": [)" +
                      s + R"(}]}, {"phase": "A", "planes": [)" + s +
                      R"(, "carried": true}]},
                   {"phase": "B", "planes": [{"name": "T", "address": )" +
                      std::to_string(scratch) + R"(, "bytes": 256}]}]})",
                  R"({"format": "berth.launches/1",
        "table": [{"phase": "P", "words": [0]}, {"phase": "A", "words": [0]},
                  {"phase": "B", "words": [)" +
                      std::to_string(scratch) + R"(]}, {"phase": "A", "words": [0]}],
        "submissions": [{"first": 0, "count": 4}]})")
        .verdict.code();
  };
  EXPECT_EQ(code(128), 2u + 4u + 3u);
  EXPECT_EQ(code(256), 0u);
}

// P writes e and its scratch p, Q reads e and has scratch q: e is held, so it is a global beside
// the workspace that both share.
TEST(BugCorpus, K4_WhatTwoProgramsShareIsOutsideTheWorkspaceOfBoth) {
  test::Draft s;
  const OpId e = s.buffer("e", 256), p = s.buffer("p", 512), q = s.buffer("q", 512);
  const Schedule both = s.schedule({s.call("P", {p, e}, "bw"), s.call("Q", {e, q}, "rb")}, {e});
  const auto found = test::answer(write_schedule(both)).value();
  const auto& file = std::get<PlannedFile>(found);
  EXPECT_EQ(test::arena_bytes(file.plan), 512u);
  EXPECT_FALSE(test::is_planned(file.plan, "e"));
  const PlaneTable& planes = (*file.launches)->planes;
  ASSERT_EQ(planes.globals().size(), 1u);
  EXPECT_EQ(planes.globals()[0].name, "e");
  for (const PhasePlanes& phase : planes.phases()) {
    for (const Plane& plane : phase.planes) {
      EXPECT_FALSE(plane.range.extent().overlaps(planes.globals()[0].extent()));
    }
  }
}

// Planes of one phase "p", and a table of launches of it that runs once.
CertifiedFiles judged(const std::string& windows, const std::string& globals,
                      const std::string& planes, const std::string& table, int launches) {
  return judged(R"({"format": "berth.planes/1", "alignment": 1, "windows": [)" + windows +
                    R"(], "globals": [)" + globals + R"(], "phases": [{"phase": "p", "planes": [)" +
                    planes + "]}]}",
                R"({"format": "berth.launches/1", "table": [)" + table +
                    R"(], "submissions": [{"first": 0, "count": )" + std::to_string(launches) +
                    "}]}");
}

std::string named(const std::string& name, std::uint64_t address, std::uint64_t end) {
  return R"({"name": ")" + name + R"(", "address": )" + std::to_string(address) + R"(, "bytes": )" +
         std::to_string(end - address) + "}";
}

TEST(BugCorpus, B3_ABufferWhoseBaseMovesEachTurnHasRoomForAllTurns) {
  const auto code = [](std::uint64_t end) {
    return judged(R"({"address": 0, "bytes": 8192})", "", named("p", 4096, end),
                  R"({"repeat": 8, "body": [{"phase": "p", "words": [4096]}],
                      "deltas": [{"launch": 0, "word": 0, "step": 64}]})",
                  1)
        .verdict.code();
  };
  EXPECT_EQ(code(4160), 2u);
  EXPECT_EQ(code(4608), 0u);
}

TEST(BugCorpus, U1_FixedRegionsThatMeetAreNamedWithTheirBytes) {
  const auto files = judged("", named("g0", 64816, 90416) + "," + named("g1", 87872, 100000), "",
                            R"({"phase": "p", "words": []})", 1);
  EXPECT_EQ(files.verdict.code(), 1u);
  const std::string text = verdict_text(files, {});
  for (const char* part : {"g0", "g1", "[0x15740, 0x16130)", "2544 of them"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(BugCorpus, U2_AWordOutsideItsRangeIsFound) {
  const auto files = judged(R"({"address": 0, "bytes": 1024})", "", named("p", 0, 256),
                            R"({"phase": "p", "words": [128]}, {"phase": "p", "words": [384]})", 2);
  EXPECT_EQ(files.verdict.code(), 2u + 1u);
}

TEST(BugCorpus, U3_WhatIsReservedIsNotThePlans) {
  PlanOptions options;
  options.capacity = {{"", Bytes(196608)}};
  options.reserve = Bytes(8192);
  const std::string report = test::shortfall(test::table("a,0,1,193331\n"), options);
  for (const char* part : {"196608", "8192", "193331"}) {
    EXPECT_NE(report.find(part), std::string::npos) << report;
  }
  options.reserve = Bytes(0);
  EXPECT_EQ(test::shortfall(test::table("a,0,1,193331\n"), options), "");
}

TEST(BugCorpus, U4_ABufferMovedOntoALiveOneIsNamedWithStepAndBytes) {
  Plan plan = test::planned(test::table("a,0,3,256\nb,1,4,256\nc,3,5,256\n"));
  const auto verdict = [&] {
    return check_file({"plan.json", write_plan(plan)}, std::nullopt, {}).value().verdict;
  };
  EXPECT_TRUE(verdict().sound());
  for (PlannedBuffer& buffer : plan.buffers) {
    if (buffer.name == "b") buffer.offset = Offset(test::offset(plan, "a") + 255);
  }
  const PlacementVerdict damaged = verdict();
  ASSERT_EQ(damaged.count<SharedBytes>(), 1u);
  EXPECT_EQ(explain(damaged.faults()[0], plan),
            "a and b are both live at step 1 and share bytes [255, 256) of the arena");
}

TEST(BugCorpus, U5_TwoAllocationsAtOneAddressAreRefused) {
  const auto files = judged("", named("g0", 0, 256) + "," + named("g1", 0, 256), "",
                            R"({"phase": "p", "words": []})", 1);
  EXPECT_EQ(files.verdict.code(), 1u);
}

// The copy is the other device's work too: b waits for it by allocation, and the plan says that it
// counts on it.
TEST(BugCorpus, D1_InOrderAKernelMayTakeTheBytesOfWhatWasCopiedOut) {
  test::Draft s;
  const OpId a = s.buffer("a", 1024), b = s.buffer("b", 1024), out = s.buffer("out", 1024, "HOST");
  const OpId copy = s.add(call_op(s.add(store_op("copy")), std::array{out, a}, "wr"));
  const Plan plan = test::planned(s.schedule({s.call("K0", {a}), copy, s.call("K1", {b})}));
  EXPECT_TRUE(test::share_a_byte(plan, "a", "b"));
  EXPECT_EQ(test::arena_bytes(plan), 1024u);
  EXPECT_NE(write_plan(plan).find("\"ordering\": \"in-order per device; across devices by "
                                  "allocation, copies included\""),
            std::string::npos);
}

// Serially; a plan for whole levels at once needs another schedule.
TEST(BugCorpus, D2_LivesAreThoseOfTheOrderThatIsPlanned) {
  test::Draft s;
  const OpId a = s.buffer("a", 256), b = s.buffer("b", 256), c = s.buffer("c", 256);
  const OpId d = s.buffer("d", 256), o = s.buffer("o", 256);
  const Plan plan =
      test::planned(s.schedule({s.call("p0", {a}), s.call("q0", {a, c}), s.call("p1", {b}),
                                s.call("q1", {b, d}), s.call("z", {c, d, o})}));
  EXPECT_EQ(test::arena_bytes(plan), 768u);
}

// What ends a copy takes its operand, too.
TEST(BugCorpus, D3_AnOperandStaysUntilTheEndThatTakesIt) {
  test::Draft s;
  const OpId x = s.buffer("x", 512), y = s.buffer("y", 512), o = s.buffer("o", 512);
  const Plan plan =
      test::planned(s.schedule({s.call("c0", {x}), s.call("start", {x}), s.call("c2", {y}),
                                s.call("c3", {y, o}), s.call("done", {x, o})}));
  EXPECT_EQ(test::life(plan, "x"), (LiveRange{0, 5}));
  EXPECT_EQ(test::arena_bytes(plan), 1536u);
}

}  // namespace
}  // namespace berth
