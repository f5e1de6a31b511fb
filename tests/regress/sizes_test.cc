// Kinds E, F, G, Q: how many bytes are asked for, and how many are told.
#include "berth/pipeline/check_file.h"
#include "berth/render/table.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::answer;
using test::arena_bytes;
using test::buffer_named;
using test::Draft;
using test::offset;
using test::planned;
using test::shortfall;
using test::table;

PlanOptions with_capacity(std::uint64_t bytes) {
  PlanOptions options;
  options.capacity = {{"", Bytes(bytes)}};
  return options;
}

// One buffer, alone in its schedule.
Plan alone(std::string_view dtype, std::uint64_t elements) {
  Draft s;
  const OpId a = s.add(
      buffer_op({.dtype = *Dtype::of(dtype), .elements = elements, .device = "GPU", .name = "a"}));
  return planned(s.schedule({s.call("c0", {a})}));
}

TEST(BugCorpus, E1_TheArenaHoldsWholeUnits) {
  Draft s;
  const OpId a = s.buffer("a", 3), b = s.buffer("b", 5), c = s.buffer("c", 7);
  EXPECT_EQ(arena_bytes(planned(s.schedule({s.call("c0", {a, b, c})}))), 768u);
  PlanOptions options;
  options.alignment = Alignment::of(16);
  EXPECT_EQ(arena_bytes(planned(table("a,0,1,3\nb,0,1,5\nc,0,1,7\n"), options)), 48u);
}

TEST(BugCorpus, E2_TheArenasFirstByteIsAlignedToo) {
  const std::string text = "id,lower,upper,size,alignment\na,0,1,8,16\n";
  const Plan plan = planned(text);
  EXPECT_EQ(plan.arenas[0].alignment.value(), 16u);
  PlanOptions options;
  options.base = {{"", Address(4104)}};
  const auto refused = answer(text, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::Usage);
  EXPECT_NE(refused.error().message.find("4104, which is no multiple of its alignment 16"),
            std::string::npos);
}

TEST(BugCorpus, E3_APhaseCountsInTheExtent) {
  Draft s;
  const OpId a = s.buffer("a", 256, "GPU", 4), b = s.buffer("b", 256, "GPU", 4);
  const Plan plan = planned(s.schedule({s.call("c0", {a, b})}));
  EXPECT_EQ(arena_bytes(plan), 1024u);
  EXPECT_EQ(std::min(offset(plan, "a"), offset(plan, "b")), 4u);
  EXPECT_EQ(std::max(offset(plan, "a"), offset(plan, "b")), 516u);
}

TEST(BugCorpus, F1_ASizeThatWrapsIn64BitsOfBitsIsExact) {
  const Plan plan = alone("float32", (std::uint64_t{1} << 59) + 1);
  EXPECT_EQ(plan.buffers[0].bytes, Bytes(2305843009213693956));
}

TEST(BugCorpus, F2_OffsetsPastFourGigabytes) {
  const Plan plan = planned(table("a,0,1,4294967296\nb,0,1,4294967296\n"));
  EXPECT_EQ(std::min(offset(plan, "a"), offset(plan, "b")), 0u);
  EXPECT_EQ(std::max(offset(plan, "a"), offset(plan, "b")), 4294967296u);
  EXPECT_EQ(arena_bytes(plan), 8589934592u);
}

TEST(BugCorpus, F3_WholeTilesPast64BitsAreRefusedByNameWithTheirNumber) {
  const auto refused =
      plan_file({"p.json", R"({"format": "berth.program/1", "name": "p", "tensors": [{"name": "big",
        "kind": "intermediate", "dims": [4294967296, 4294967296], "tile": [1, 1],
        "tile_bytes": 1}], "phases": [{"name": "s", "body": [{"write": "big", "bytes": 1}]}]})"},
                {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("\"big\" take 18446744073709551616 bytes"),
            std::string::npos)
      << refused.error().message;
}

TEST(BugCorpus, A5_AViewPastItsEndInAProgramIsRefusedWithBothNamesAndItsEnd) {
  const auto refused =
      plan_file({"p.json", R"({"format": "berth.program/1", "name": "p", "tensors": [
        {"name": "a", "kind": "intermediate", "bytes": 256},
        {"name": "v", "kind": "intermediate", "bytes": 192, "view_of": "a", "offset": 128}],
        "phases": [{"name": "s", "body": [{"write": "a", "bytes": 1}]}]})"},
                {});
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.error().message.find("\"v\" from byte 128 on end at 320, past the 256 of \"a\""),
      std::string::npos)
      << refused.error().message;
}

TEST(BugCorpus, F3_ASizePast64BitsIsRefused) {
  const auto refusal = [](const std::string& size) {
    return test::refusal(R"({"format": "berth.schedule/1", "ops": [{"op": "buffer", "slot": 0,
 "dtype": "float32", "size": )" +
                         size + R"(, "device": "GPU"}, {"op": "linear", "src": []}], "root": 1})");
  };
  EXPECT_EQ(refusal("18446744073709551616"),
            "case:2:30: ops[0].size: found 18446744073709551616, expected an integer from 0 to "
            "18446744073709551615 (write it in decimal digits alone, without a sign, a point or an "
            "exponent)");
  EXPECT_EQ(refusal("4611686018427387904"),
            "case:2:30: ops[0].size: 4611686018427387904 elements of float32 are more bytes than "
            "64 bits hold");
}

TEST(BugCorpus, F4_AnOffsetPast32BitsIsRead) {
  const Plan plan = planned("id,lower,upper,size,offset\na,0,1,16,3000000000\n");
  EXPECT_EQ(offset(plan, "a"), 3000000000u);
  EXPECT_EQ(arena_bytes(plan), 3000000016u);
}

TEST(BugCorpus, F5_PackedAndWholeElementsDifferInBytes) {
  Draft s;
  const auto typed = [&](std::uint64_t slot, const char* dtype, std::uint64_t elements,
                         const char* name) {
    return s.add(buffer_op({.slot = slot,
                            .dtype = *Dtype::of(dtype),
                            .elements = elements,
                            .device = "GPU",
                            .name = name}));
  };
  const OpId u = typed(0, "uint4", 1024, "u"), f = typed(1, "float32", 1024, "f");
  const OpId v = typed(2, "uint8", 1024, "v");
  const Plan plan =
      planned(s.schedule({s.call("c0", {u}), s.call("c1", {u, f}), s.call("c2", {f, v})}));
  EXPECT_EQ(buffer_named(plan, "u").bytes, Bytes(512));
  EXPECT_EQ(buffer_named(plan, "v").bytes, Bytes(1024));
  EXPECT_EQ(arena_bytes(plan), 5120u);
}

TEST(BugCorpus, F6_AProductOfDimensionsPast32Bits) {
  const Plan plan = alone("float16", std::uint64_t{128} * 1024 * 65536);
  EXPECT_EQ(plan.buffers[0].bytes, Bytes(17179869184));
}

TEST(BugCorpus, F7_PackedSizesAreRoundedUp) {
  EXPECT_EQ(alone("int4", 3).buffers[0].bytes, Bytes(2));
  EXPECT_EQ(alone("int1", 33).buffers[0].bytes, Bytes(5));
  EXPECT_EQ(alone("int1", 31).buffers[0].bytes, Bytes(4));
}

TEST(BugCorpus, G1_EmptyBuffersMeetNothing) {
  const std::string text = table("z,0,2,0\nb,0,2,64\ny,1,3,0\n");
  EXPECT_EQ(arena_bytes(planned(text)), 64u);
  const auto checked = check_file(
      {"z.csv", "id,lower,upper,size,offset\nz,0,2,0,8\nb,0,2,64,0\ny,1,3,0,\n"}, {}, {});
  ASSERT_TRUE(checked) << to_string(checked.error());
  EXPECT_TRUE(checked->sound());
}

TEST(BugCorpus, G2_AScheduleWithoutResultsIsPlanned) {
  Draft s;
  const OpId a = s.buffer("a", 256);
  EXPECT_EQ(arena_bytes(planned(s.schedule({s.call("c0", {a}), s.call("c1", {a})}))), 256u);
}

TEST(BugCorpus, G3_AnEmptyScheduleComesBackUnchanged) {
  Draft s;
  const OpId held = s.buffer("h", 64);
  for (const Schedule& schedule : {s.schedule({}), s.schedule({s.call("c0", {held})}, {held})}) {
    const std::string text = write_schedule(schedule);
    const auto found = answer(text).value();
    const auto& file = std::get<PlannedFile>(found);
    EXPECT_TRUE(file.plan.arenas.empty());
    EXPECT_EQ(write_schedule(file.rewritten.value()), text);
  }
}

TEST(BugCorpus, Q1_ScratchCountsDuringItsCall) {
  Draft s;
  const OpId a = s.buffer("a", 256), b = s.buffer("b", 256);
  const std::string text = write_schedule(s.schedule({s.call("c0", {a}), s.call("c1", {a, b})}));
  PlanOptions options = with_capacity(768);
  options.scratch = {{"c0", Bytes(512)}};
  EXPECT_EQ(arena_bytes(planned(text, options)), 768u);
  options.capacity[0].second = Bytes(767);
  EXPECT_NE(shortfall(text, options), "");
}

TEST(BugCorpus, Q2_ThePeakIsBeforeTheFrees) {
  Draft s;
  const OpId a = s.buffer("a", 256), b = s.buffer("b", 256);
  const Plan plan = planned(s.schedule({s.call("c0", {a}), s.call("c1", {a, b})}));
  EXPECT_EQ(arena_bytes(plan), 512u);
  EXPECT_EQ(plan.arenas[0].figures.peak_step, 1u);
}

TEST(BugCorpus, Q3_WhatIsPassedInIsNotPlanned) {
  Draft s;
  const OpId k = s.add(param_op({.elements = 4096, .device = "GPU", .name = "k"}));
  const OpId a = s.buffer("a", 256), b = s.buffer("b", 256);
  const Plan plan = planned(s.schedule({s.call("c0", {k, a}), s.call("c1", {a, b})}));
  EXPECT_EQ(arena_bytes(plan), 512u);
  EXPECT_EQ(plan.kept, (std::vector<KeptTensor>{{"k", KeptWhy::Param, Bytes(4096), "GPU"}}));
}

TEST(BugCorpus, Q4_LoadAndPeakAreTwoNumbers) {
  PlanOptions options;
  options.pack.packer = "tlsf";
  const Plan plan = planned(table("b0,1,3,1024\nb1,3,6,768\nb2,2,5,768\nb3,3,5,768\n"), options);
  const ArenaFigures& figures = plan.arenas[0].figures;
  EXPECT_EQ(figures.max_load, Bytes(2304));
  EXPECT_EQ(figures.peak, Bytes(2560));
  EXPECT_FALSE(figures.proved_least());
  const std::string text = plan_table(plan);
  EXPECT_NE(text.find("2304"), std::string::npos);
  EXPECT_NE(text.find("2560"), std::string::npos);
}

TEST(BugCorpus, Q5_TheArenaIsNotThePlainSum) {
  EXPECT_EQ(
      arena_bytes(planned(table("t0,0,2,100\nt1,1,3,100\nt2,2,4,100\nt3,3,5,100\nt4,4,6,100\n"))),
      200u);
}

TEST(BugCorpus, Q6_WhatIsPlannedAndWhatIsNotAreToldApart) {
  Draft s;
  const OpId in = s.add(param_op({.slot = 0, .elements = 131072, .device = "CPU", .name = "in"}));
  const OpId out = s.add(param_op({.slot = 1, .elements = 131072, .device = "CPU", .name = "out"}));
  const OpId a = s.buffer("a", 134912, "CPU");
  const Plan plan = planned(s.schedule({s.call("c0", {in, a}), s.call("c1", {a, out})}));
  EXPECT_EQ(arena_bytes(plan), 134912u);
  EXPECT_EQ(plan.kept, (std::vector<KeptTensor>{{"in", KeptWhy::Param, Bytes(131072), "CPU"},
                                                {"out", KeptWhy::Param, Bytes(131072), "CPU"}}));
}

TEST(BugCorpus, Q7_TilesArePlannedWhole) {
  const Plan plan = planned(
      R"({"format": "berth.program/1", "name": "n",
          "tensors": [{"name": "x", "kind": "intermediate", "dims": [12582912, 1],
                       "tile": [8, 128], "tile_bytes": 4096}],
          "phases": [{"name": "p", "body": [{"write": "x", "bytes": 50331648}]},
                     {"name": "q", "body": [{"read": "x", "bytes": 50331648}]}]})");
  EXPECT_EQ(arena_bytes(plan), 6442450944u);  // 128 times what is moved
}

}  // namespace
}  // namespace berth
