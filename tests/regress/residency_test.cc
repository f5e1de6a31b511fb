// Kind S: tiers, what spills, what is never on chip; and devices.
#include "berth/pipeline/reside_file.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::Draft;
using test::planned;

// An intermediate that is written in its first phase and read in its last.
struct Row {
  std::string name;
  Step first;
  Step last;
  std::uint64_t bytes;
  std::string more = "";  // further fields
};

struct Case {
  std::uint64_t sram;
  std::vector<Row> rows;
  std::uint64_t buffers = 0;  // bytes that are fixed in SRAM
  std::uint64_t dram = 0;     // 0: not limited
};

std::string quoted(const std::string& text) {
  return '"' + text + '"';
}

std::string program_text(const Case& is) {
  std::string tensors;
  Step phases = 0;
  for (const Row& row : is.rows) {
    tensors += (tensors.empty() ? "" : ", ") + std::string("{\"name\": ") + quoted(row.name) +
               ", \"kind\": \"intermediate\", \"tier\": \"dram\", \"bytes\": " +
               std::to_string(row.bytes) + row.more + "}";
    phases = std::max(phases, row.last + 1);
  }
  std::string all;
  for (Step phase = 0; phase < phases; ++phase) {
    std::string body;
    for (const Row& row : is.rows) {
      for (const auto& [word, at] : {std::pair("write", row.first), std::pair("read", row.last)}) {
        if (at != phase) continue;
        body += (body.empty() ? "" : ", ") + std::string("{\"") + word + "\": " + quoted(row.name) +
                ", \"bytes\": " + std::to_string(row.bytes) + "}";
      }
    }
    all += (all.empty() ? "" : ", ") + std::string("{\"name\": \"p\", \"body\": [") + body + "]}";
  }
  std::string buffers;
  if (is.buffers != 0) {
    buffers = "\"buffers\": [{\"chip\": 0, \"site\": 0, \"offset\": 0, \"bytes\": " +
              std::to_string(is.buffers) + "}], ";
  }
  return "{\"format\": \"berth.program/1\", \"name\": \"case\", " + buffers + "\"tensors\": [" +
         tensors + "], \"phases\": [" + all + "]}";
}

Residency resided(const Case& is) {
  const std::string dram = is.dram == 0 ? "" : "dram_bytes = " + std::to_string(is.dram) + "\n";
  const std::string target = "name = \"chip\"\nany_site_reaches_any = true\n[[chip]]\n" + dram +
                             "[[chip.sites]]\nbytes = " + std::to_string(is.sram) + "\n";
  const auto answer = reside_file({"case", program_text(is)}, {"chip.toml", target}, {});
  if (!answer) throw std::runtime_error(to_string(answer.error()));
  return std::get<ResidedFile>(*answer).answer.plan;
}

// Names and phases of what was pushed out, in order.
std::string spilled(const Case& is) {
  const Residency plan = resided(is);
  std::string text;
  for (const Spill& spill : plan.programs[0].spilled) {
    text += is.rows[spill.tensor.index()].name + "@" + std::to_string(spill.phase.value()) + " ";
  }
  return text;
}

TEST(BugCorpus, S1_BanksAreFilledInOrderAndPinsAreHonoured) {
  Case is = {
      512, {{"a", 0, 1, 256, ", \"pinned\": true"}, {"b", 0, 1, 512}, {"c", 0, 1, 256}}, 0, 4096};
  EXPECT_EQ(spilled(is), "b@0 ");
  const Residency plan = resided(is);
  EXPECT_EQ(plan.programs[0].sram_footprint[0], Bytes(512));
  EXPECT_EQ(plan.programs[0].spilled[0].moved, Bytes(2 * 512));
  is.rows[0].bytes = 5000;
  EXPECT_FALSE(resided(is).feasible());
}

TEST(BugCorpus, S2_FixedBuffersAndTensorsShareOneMemory) {
  const Case is = {1000, {{"x", 0, 2, 300}, {"y", 1, 3, 200}}, 600};
  EXPECT_EQ(spilled(is), "y@1 ");
  EXPECT_EQ(resided(is).programs[0].sram_footprint[0], Bytes(900));
}

TEST(BugCorpus, S3_TiesAreSettledByBytesThenById) {
  EXPECT_EQ(spilled({500, {{"1", 0, 4, 200}, {"2", 0, 4, 300}, {"3", 0, 2, 100}}}), "2@0 ");
  EXPECT_EQ(spilled({500, {{"1", 0, 4, 250}, {"2", 0, 4, 250}, {"3", 0, 2, 100}}}), "1@0 ");
}

TEST(BugCorpus, S4_WhatIsPinnedIsNotPushedOut) {
  Case is = {500, {{"p", 0, 9, 300, ", \"pinned\": true"}, {"q", 0, 5, 300}}};
  EXPECT_EQ(spilled(is), "q@0 ");
  is.rows[0].more = "";
  EXPECT_EQ(spilled(is), "p@0 ");
  is.rows[0] = {"p", 0, 9, 501, ", \"pinned\": true"};
  EXPECT_FALSE(resided(is).feasible());
}

// The stated rule moves a tensor out for its whole life, and the report says at which phase.
TEST(BugCorpus, S5_ASpillIsForTheWholeLife) {
  const Case is = {500, {{"T", 5, 20, 300}, {"w", 15, 16, 300}}};
  const Residency plan = resided(is);
  EXPECT_EQ(spilled(is), "T@15 ");
  EXPECT_EQ(plan.programs[0].traffic, Bytes(600));  // written at 5 and read at 20, both off chip
  EXPECT_EQ(plan.programs[0].sram_footprint[0], Bytes(300));
}

TEST(BugCorpus, S6_ExactlyFullFits) {
  EXPECT_EQ(spilled({1000, {{"x", 0, 0, 600}}, 400}), "");
  EXPECT_EQ(spilled({1000, {{"x", 0, 0, 601}}, 400}), "x@0 ");
}

// x may only be off chip, y may be anywhere.
TEST(BugCorpus, S7_EachIsWhereItIsAllowed) {
  const Case is = {100, {{"x", 0, 1, 50, ", \"host\": true"}, {"y", 0, 1, 60}}, 0, 1000};
  const Residency plan = resided(is);
  EXPECT_EQ(plan.programs[0].on_chip, (std::vector<bool>{false, true}));
  EXPECT_TRUE(plan.feasible());
}

TEST(BugCorpus, S8_WhatTheHostReadsIsNeverOnChip) {
  const Residency plan = resided({1'000'000, {{"t", 0, 1, 64, ", \"host\": true"}}});
  EXPECT_EQ(plan.programs[0].on_chip, (std::vector<bool>{false}));
  EXPECT_EQ(plan.programs[0].sram_footprint[0], Bytes(0));
}

// A buffer that is spread over two devices is a part on each, in that device's arena.
TEST(BugCorpus, S9_NoArenaSpansDevices) {
  Draft s;
  const OpId a = s.buffer("a", 256, "D0");
  const OpId here = s.buffer("m0", 256, "D0"), there = s.buffer("m1", 256, "D1");
  const Plan plan = planned(
      s.schedule({s.call("c0", {a}), s.call("c1", {here, there}), s.call("c2", {here, there})}));
  ASSERT_EQ(plan.arenas.size(), 2u);
  for (const PlannedArena& arena : plan.arenas) EXPECT_EQ(arena.figures.peak, Bytes(256));
  EXPECT_TRUE(test::share_a_byte(plan, "a", "m0"));
}

}  // namespace
}  // namespace berth
