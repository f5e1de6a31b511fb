// Kinds C, H and T: subgraphs, damaged models, and plans that a model carries.
#include "tests/regress/bug_corpus.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

std::string refusal(const TestModel& model, const PlanOptions& options = {}) {
  const auto found = test::answer(tflite_bytes(model), options);
  return found ? "" : to_string(found.error());
}

TEST(BugCorpus, H7_IndicesPastTheFilesOwnTablesAreRefused) {
  const auto graph = [](std::int32_t input, std::int32_t output) {
    return TestGraph{.tensors = {sized("a", 16), sized("b", 16), sized("c", 16)},
                     .inputs = {0},
                     .outputs = {1},
                     .ops = {{kAdd, {0, input}, {output}}}};
  };
  EXPECT_EQ(refusal({{graph(7, 1)}}),
            "case: subgraph 0, operator 0 (ADD): input 1 is tensor 7; the subgraph has 3 tensors");
  EXPECT_EQ(
      refusal({{graph(0, -5)}}),
      "case: subgraph 0, operator 0 (ADD): output 0 is tensor -5; the subgraph has 3 tensors");
  TestGraph far = graph(0, 1);
  far.tensors[2].buffer = 9;
  EXPECT_EQ(refusal({{far}}),
            "case: subgraph 0, tensor 2 'c': its data is in buffer 9; the table has 1 buffers");
  EXPECT_EQ(refusal({{graph(-1, 1)}}), "");  // an operand that is not there
}

TEST(BugCorpus, C4_WhatIsReachedByACallThatRunsOnceIsPlannedToo) {
  const TestGraph main = {.tensors = {sized("g", 256), sized("o", 256)},
                          .inputs = {0},
                          .outputs = {1},
                          .ops = {{kCallOnce, {}, {}, {1}}, {kRelu, {0}, {1}}}};
  const TestGraph once = {.tensors = {sized("s", 256), sized("t", 256)},
                          .ops = {{kRelu, {}, {0}}, {kRelu, {0}, {1}}}};
  const Plan plan = test::planned(tflite_bytes(TestModel{{main, once}}));
  EXPECT_EQ(plan.buffers.size(), 4u);
  EXPECT_FALSE(test::share_a_byte(plan, "s", "t"));
  EXPECT_FALSE(test::share_a_byte(plan, "g", "s"));  // an input lives from the start
  EXPECT_EQ(test::arena_bytes(plan), 768u);
}

// The block of an offline plan: words of 32 bits.
std::string block(const std::vector<std::int32_t>& words) {
  std::string bytes;
  for (const std::int32_t word : words) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      bytes += static_cast<char>(static_cast<std::uint32_t>(word) >> (8 * byte) & 0xFFU);
    }
  }
  return bytes;
}

// a lives in steps [0, 2), b in [1, 3), c in [1, 2), the last is of no step.
TestModel planned_model(const std::string& offline) {
  return {{TestGraph{.tensors = {sized("in", 16), sized("a", 256), sized("b", 256), sized("c", 256),
                                 sized("unused", 1)},
                     .inputs = {0},
                     .outputs = {2},
                     .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2, 3}}, {kRelu, {2}, {}}}}},
          offline};
}

PlanOptions keeping_offsets() {
  PlanOptions options;
  options.offline_plan = true;
  return options;
}

TEST(BugCorpus, T1_AnOfflinePlanThatIsCutShortIsRefused) {
  const std::string metadata = "case: metadata OfflineMemoryAllocation: the block has ";
  EXPECT_EQ(refusal(planned_model(block({1, 0})), keeping_offsets()),
            metadata + "8 bytes; it needs 12 bytes of head");
  EXPECT_EQ(refusal(planned_model(block({1, 0, 5, 0, 0, 0, 0})), keeping_offsets()),
            metadata + "28 bytes; 12 of head and 5 offsets need 32");
}

TEST(BugCorpus, T2_OffsetsThatAreGivenAreKeptAndTheOthersFound) {
  const auto model = [](std::int32_t c) {
    return tflite_bytes(planned_model(block({1, 0, 5, -1, 0, -1, c, -1})));
  };
  const Plan plan = test::planned(model(512), keeping_offsets());
  EXPECT_EQ(test::offset(plan, "a"), 0u);
  EXPECT_EQ(test::offset(plan, "b"), 256u);
  EXPECT_EQ(test::offset(plan, "c"), 512u);
  EXPECT_EQ(test::arena_bytes(plan), 768u);
  EXPECT_EQ(test::shortfall(model(128), keeping_offsets()),
            "does not fit: buffers a (fixed at 0) and c (fixed at 128) share bytes [128, 256) over "
            "steps [1, 2)\nfree one of the two offsets, or move it");
}

}  // namespace
}  // namespace berth
