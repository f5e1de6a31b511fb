#include "berth/formats/tflite.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

Error error_of(const std::string& bytes) {
  const auto program = read_tflite(bytes, "m.tflite");
  EXPECT_FALSE(program);
  return program ? Error{} : program.error();
}

std::string text_of(const TestModel& model) {
  return to_string(error_of(tflite_bytes(model)));
}

std::string text_of(TestGraph graph) {
  return text_of(TestModel{{std::move(graph)}});
}

// x -> RELU -> y, for a test to damage.
TestGraph chain() {
  return {.tensors = {sized("x", 8), sized("y", 8), sized("z", 8)},
          .inputs = {0},
          .outputs = {2},
          .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}}};
}

TEST(ReadTflite, RefusesWhatIsNoModel) {
  EXPECT_EQ(error_of("").where, "m.tflite");
  EXPECT_EQ(error_of("PK\3\4 a zip file").message,
            "is no TensorFlow Lite model: no TFL3 at byte 4");
}

TEST(ReadTflite, RefusesAModelThatIsCutShort) {
  const auto whole = tflite_bytes(chain());
  EXPECT_NE(error_of(whole.substr(0, whole.size() - 8)).message.find("is damaged"),
            std::string::npos);
}

TEST(ReadTflite, ReadsBytesThatStartAnywhere) {
  const auto bytes = tflite_bytes(chain());
  const auto aligned = read_tflite(bytes, "m.tflite");
  for (std::size_t shift = 1; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, ' ') + bytes;
    EXPECT_EQ(*read_tflite(std::string_view(shifted).substr(shift), "m.tflite"), *aligned);
  }
}

TEST(ReadTflite, RefusesAnOperandOutsideTheTable) {
  auto graph = chain();
  graph.ops[1].inputs = {7};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 1 (RELU): input 0 is tensor 7; the subgraph has 3 "
            "tensors");
}

TEST(ReadTflite, RefusesANegativeOperandThatIsNotTheAbsentOne) {
  auto graph = chain();
  graph.ops[1].outputs = {-5};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 1 (RELU): output 0 is tensor -5; the subgraph has 3 "
            "tensors");
  graph = chain();
  graph.ops[1].outputs = {-1};
  EXPECT_NE(text_of(graph).find("output 0 is tensor -1"), std::string::npos);
  graph = chain();
  graph.ops[1].inputs = {1, -2};
  EXPECT_NE(text_of(graph).find("input 1 is tensor -2"), std::string::npos);
  graph = chain();
  graph.ops[1].intermediates = {3};
  EXPECT_NE(text_of(graph).find("intermediate 0 is tensor 3"), std::string::npos);
}

TEST(ReadTflite, RefusesGraphInputsAndOutputsOutsideTheTable) {
  auto graph = chain();
  graph.inputs = {3};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0: input 0 is tensor 3; the subgraph has 3 tensors");
  graph = chain();
  graph.outputs = {2, -1};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0: output 1 is tensor -1; the subgraph has 3 tensors");
}

TEST(ReadTflite, RefusesABufferOutsideTheTable) {
  auto graph = chain();
  graph.tensors[1].buffer = 9;
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, tensor 1 'y': its data is in buffer 9; the table has 1 buffers");
}

TEST(ReadTflite, TakesDataBehindTheTablesForAConstant) {
  auto graph = chain();
  graph.tensors.push_back(sized("k", 100));
  graph.tensors.back().behind = {4096, 100};
  graph.ops[0] = {kConv2d, {0, 3}, {1}};
  auto bytes = tflite_bytes(graph);
  bytes.resize(4196);
  const auto program = read_tflite(bytes, "m.tflite");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->tensors[3].kind, TensorKind::Weight);
  bytes.resize(4195);
  EXPECT_EQ(to_string(error_of(bytes)),
            "m.tflite: buffer 1: 100 bytes at byte 4096 do not lie inside the file of 4195 bytes");
  graph.tensors.back().behind = {UINT64_MAX - 8, 100};
  EXPECT_NE(text_of(graph).find("do not lie inside"), std::string::npos);
}

TEST(ReadTflite, PlansAnInputWithDataByItsShape) {
  auto graph = chain();
  graph.tensors[0].data = 3;  // what stands in the file is written over by the caller
  const auto program = read_tflite(tflite_bytes(graph), "m.tflite");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->tensors[0].kind, TensorKind::Input);
  EXPECT_EQ(program->tensors[0].bytes, Bytes(8));
}

TEST(ReadTflite, ReshapesAConstantToNoDimensionsEachTime) {
  auto graph = chain();
  graph.tensors.push_back(constant("k", 1));
  graph.tensors.push_back({"no dims", {0}});
  graph.tensors.push_back({"scalar", {}});
  graph.ops.push_back({kReshape, {3, 4}, {5}});
  const auto program = read_tflite(tflite_bytes(graph), "m.tflite");
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->phases.size(), 3U);
  EXPECT_EQ(program->tensors[5].kind, TensorKind::Intermediate);
}

TEST(ReadTflite, RefusesATypeThatIsNotKnown) {
  auto graph = chain();
  graph.tensors[1].type = 99;
  EXPECT_EQ(text_of(graph), "m.tflite: subgraph 0, tensor 1 'y': its element type 99 is not known");
  graph.tensors[1].type = -3;
  EXPECT_NE(text_of(graph).find("type -3"), std::string::npos);
}

TEST(ReadTflite, RefusesANegativeDimension) {
  auto graph = chain();
  graph.tensors[1].shape = {2, -1};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, tensor 1 'y': dimension 1 of its shape [2, -1] is negative "
            "(give it fixed dimensions when converting)");
}

TEST(ReadTflite, RefusesASizePastSixtyFourBitsAndSaysIt) {
  auto graph = chain();
  graph.tensors[1].shape = {1 << 30, 1 << 30, 16};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, tensor 1 'y': shape [1073741824, 1073741824, 16] of UINT8 needs "
            "18446744073709551616 bytes, more than 64 bits hold");
}

TEST(ReadTflite, RefusesTwoWritersOfOneTensorAndNamesBoth) {
  auto graph = chain();
  graph.ops[1] = {kAdd, {1, 1}, {1}};
  graph.outputs = {1};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 1 (ADD): writes tensor 'y' (1), which operator 0 "
            "(RELU) writes too (give each result a tensor of its own)");
  graph = chain();
  graph.ops[1].outputs = {0};
  EXPECT_NE(text_of(graph).find("'x' (0), which the subgraph's caller writes too"),
            std::string::npos);
}

TEST(ReadTflite, RefusesAWriteToAConstant) {
  auto graph = chain();
  graph.tensors[2] = constant("k", 8);
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 1 (RELU): writes tensor 'k' (2), which is a constant");
}

TEST(ReadTflite, RefusesAReadOfWhatNothingWrites) {
  auto graph = chain();
  graph.inputs = {};
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 0 (RELU): reads tensor 'x' (0), which nothing writes: "
            "it is no input, constant or variable");
  graph = chain();
  graph.ops.pop_back();
  EXPECT_EQ(text_of(graph), "m.tflite: subgraph 0: its output 'z' (2) is written by nobody");
}

TEST(ReadTflite, RefusesAReadBeforeTheWrite) {
  auto graph = chain();
  std::swap(graph.ops[0], graph.ops[1]);
  EXPECT_EQ(text_of(graph),
            "m.tflite: subgraph 0, operator 0 (RELU): reads tensor 'y' (1), which operator 1 "
            "(RELU) writes only then or later (list operators in execution order)");
  graph = chain();
  graph.ops[0] = {kCustom, {0, 1}, {1}, {}, "Self"};
  EXPECT_NE(text_of(graph).find("operator 0 (Self) writes only then"), std::string::npos);
}

// --- calls ---

TestModel calling(const TestOp& op, std::vector<TestGraph> callees = {}) {
  TestModel model;
  model.graphs = {
      {.tensors = {sized("x", 8), sized("y", 8)}, .inputs = {0}, .outputs = {1}, .ops = {op}}};
  for (auto& callee : callees) model.graphs.push_back(std::move(callee));
  return model;
}

TestGraph passing() {
  return {.tensors = {sized("a", 8), sized("b", 8)},
          .inputs = {0},
          .outputs = {1},
          .ops = {{kRelu, {0}, {1}}}};
}

TEST(ReadTflite, RefusesACallOfASubgraphThatDoesNotExist) {
  EXPECT_EQ(text_of(calling({kWhile, {0}, {1}, {1, 5}}, {passing()})),
            "m.tflite: subgraph 0, operator 0 (WHILE): its 'body' is subgraph 5; the model has 2 "
            "subgraphs");
  EXPECT_NE(text_of(calling({kIf, {0}, {1}, {-1, 1}}, {passing()})).find("'then' is subgraph -1"),
            std::string::npos);
  EXPECT_EQ(text_of(calling({kCallOnce, {0}, {1}, {}})),
            "m.tflite: subgraph 0, operator 0 (CALL_ONCE): does not say which subgraph it runs");
}

TEST(ReadTflite, RefusesACallThatPassesAnotherNumberOfValues) {
  EXPECT_EQ(text_of(calling({kIf, {0}, {1}, {1, 1}}, {passing()})),
            "m.tflite: subgraph 0, operator 0 (IF): its 'then' is subgraph 1, which takes 1 and "
            "gives 1 values; the call passes 0 and expects 1");
}

TEST(ReadTflite, RefusesCallsThatGoRoundInACircle) {
  auto callee = passing();
  callee.ops = {{kCall, {0}, {1}, {2}}};
  EXPECT_EQ(text_of(calling({kCall, {0}, {1}, {1}}, {callee, callee})),
            "m.tflite: subgraph 2: calls subgraph 2, which is still running then: calls go round "
            "in a circle (write the repetition as a WHILE)");
  callee.ops = {{kCall, {0}, {1}, {0}}};
  EXPECT_NE(text_of(calling({kCall, {0}, {1}, {1}}, {callee})).find("subgraph 1: calls subgraph 0"),
            std::string::npos);
}

// Each level calls the next twice.
TestModel doubling(int levels) {
  TestModel model;
  for (int level = 0; level < levels; ++level) {
    TestGraph graph = {.tensors = {sized("a", 8), sized("b", 8), sized("c", 8)},
                       .inputs = {0},
                       .outputs = {2},
                       .ops = {{kCall, {0}, {1}, {level + 1}}, {kCall, {1}, {2}, {level + 1}}}};
    model.graphs.push_back(std::move(graph));
  }
  model.graphs.push_back(passing());
  return model;
}

TEST(ReadTflite, RefusesNestingThatUnfoldsPastTheLimitOfSteps) {
  // 2^k calls at level k, each with two copies, and 2^22 innermost steps.
  EXPECT_EQ(error_of(tflite_bytes(doubling(22))).kind, Error::Kind::Limit);
  EXPECT_EQ(error_of(tflite_bytes(doubling(22))).message,
            "unfolds to 20971516 steps; the limit is 10000000");
  EXPECT_EQ(error_of(tflite_bytes(doubling(200))).message,
            "unfolds to more than 10^12 steps; the limit is 10000000");
}

TEST(ReadTflite, UnfoldsNestedCallsInOrder) {
  const auto program = read_tflite(tflite_bytes(doubling(10)), "m.tflite");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->phases.size(), 5116U);  // 1024 steps, 2 * 2046 copies
  EXPECT_EQ(program->phases.front().name, "CALL/call/enter");
}

TEST(ReadTflite, NestsAsDeepAsAFileCan) {
  // Depth costs no stack; only the names, which repeat the way in, run into their limit.
  TestModel model;
  for (int level = 0; level < 2000; ++level) {
    auto graph = passing();
    graph.ops = {{kCall, {0}, {1}, {level + 1}}};
    model.graphs.push_back(std::move(graph));
  }
  model.graphs.push_back(passing());
  const auto program = read_tflite(tflite_bytes(model), "m.tflite");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->phases.size(), 4001U);
}

// --- operator codes ---

TEST(ReadTflite, NamesStepsAfterTheirOperators) {
  TestGraph graph = {
      .tensors = {sized("x", 8), sized("y", 8), sized("z", 8), sized("u", 8)},
      .inputs = {0},
      .outputs = {3},
      .ops = {{150, {0}, {1}}, {kCustom, {1}, {2}, {}, "Bad\x01\xff name"}, {999, {2}, {3}}}};
  const auto program = read_tflite(tflite_bytes(graph), "m.tflite");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->phases[0].name, "GELU");  // past the byte that older files hold
  EXPECT_EQ(program->phases[1].name, "Bad\\x01\\xFF name");
  EXPECT_EQ(program->phases[2].name, "operator 999");
}

TEST(ReadTflite, PermitsWritesInPlaceOnlyWhenAsked) {
  const auto bytes = tflite_bytes(chain());
  EXPECT_FALSE(read_tflite(bytes, "m.tflite")->phases[1].accesses[1].reuses);
  const auto program = read_tflite(bytes, "m.tflite", {.in_place = true});
  EXPECT_EQ(program->phases[1].accesses[1].reuses, TensorId(1));
}

TEST(ReadTflite, AStepMovesAllOfItsOperandsAndOfATableTheRowsItTakes) {
  constexpr int kGather = 36;
  const auto program = read_tflite(
      tflite_bytes(TestGraph{
          .tensors = {sized("ids", 2), constant("table", 800), sized("y", 16), sized("z", 16)},
          .inputs = {0},
          .outputs = {3},
          .ops = {{kGather, {1, 0}, {2}}, {kRelu, {2}, {3}}}}),
      "m.tflite");
  ASSERT_TRUE(program) << to_string(program.error());
  const auto& gather = program->phases[0].accesses;
  EXPECT_EQ(gather[0].bytes, Bytes(16));
  EXPECT_EQ(gather[1].bytes, Bytes(2));
  EXPECT_EQ(gather[2].bytes, Bytes(16));
  EXPECT_EQ(program->phases[1].accesses[0].bytes, Bytes(16));
  EXPECT_EQ(program->tensors[1].layout->dims, std::vector<std::uint64_t>{800});
}

}  // namespace
}  // namespace berth
