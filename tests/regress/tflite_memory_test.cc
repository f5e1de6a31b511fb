// What of a .tflite model takes memory: copies at calls, operators on constants, data that is too
// short, regions that an accelerator's compiler laid out, and what a capacity counts.
#include "berth/formats/tflite.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "tests/regress/bug_corpus.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

std::string refusal(const TestModel& model, const PlanOptions& options = {}) {
  const auto found = test::answer(tflite_bytes(model), options);
  return found ? "" : to_string(found.error());
}

PlanOptions with_capacity(std::uint64_t bytes) {
  PlanOptions options;
  options.capacity = {{"", Bytes(bytes)}};
  return options;
}

DoesNotFit no_of(const std::string& text, const PlanOptions& options) {
  auto found = test::answer(text, options).value();
  auto* no = std::get_if<DoesNotFit>(&found);
  return no == nullptr ? DoesNotFit{} : std::move(*no);
}

TestTensor floats(std::string name, std::int32_t count) {
  return {std::move(name), {count}, kFloat32};
}

// --- copies at calls ---

// flag, x -> IF -> y; each branch takes `in` bytes and gives `out`.
TestModel branching(std::int32_t in, std::int32_t out) {
  const auto branch = [](std::int32_t takes, std::int32_t gives) {
    return TestGraph{.tensors = {sized("a", takes), sized("b", gives)},
                     .inputs = {0},
                     .outputs = {1},
                     .ops = {{kRelu, {0}, {1}}}};
  };
  return {{TestGraph{.tensors = {sized("flag", 1), sized("x", 24), sized("y", 24)},
                     .inputs = {0, 1},
                     .outputs = {2},
                     .ops = {{kIf, {0, 1}, {2}, {1, 2}}}},
           branch(24, 24), branch(in, out)}};
}

TEST(TfliteMemory, ABranchGivesWhatItsResultHolds) {
  EXPECT_EQ(refusal(branching(24, 24)), "");
  EXPECT_EQ(
      refusal(branching(24, 48)),
      "case: subgraph 0, operator 0 (IF): its 'else' is subgraph 2, for whose output 0 tensor "
      "'b' (6) of 48 bytes is copied to tensor 'y' (2) of 24 bytes (a size that changes is "
      "known only to the run: give both values one shape when converting)");
  EXPECT_NE(refusal(branching(24, 12)), "");
  EXPECT_NE(refusal(branching(25, 24)).find("input 0 tensor 'x' (1) of 24 bytes is copied to"),
            std::string::npos);
}

// x -> WHILE -> y, of which the condition takes `cond` bytes, the body takes `in` and gives `out`.
TestModel turning(std::int32_t y, std::int32_t cond, std::int32_t in, std::int32_t out) {
  return {{TestGraph{.tensors = {sized("x", 32), sized("y", y)},
                     .inputs = {0},
                     .outputs = {1},
                     .ops = {{kWhile, {0}, {1}, {1, 2}}}},
           TestGraph{.tensors = {sized("c", cond), sized("go", 1)},
                     .inputs = {0},
                     .outputs = {1},
                     .ops = {{kLess, {0, 0}, {1}}}},
           TestGraph{.tensors = {sized("a", in), sized("b", out)},
                     .inputs = {0},
                     .outputs = {1},
                     .ops = {{kRelu, {0}, {1}}}}}};
}

TEST(TfliteMemory, WhatALoopCarriesKeepsItsSize) {
  EXPECT_EQ(refusal(turning(32, 32, 32, 32)), "");
  for (const auto& model : {turning(48, 32, 32, 32), turning(32, 48, 32, 32),
                            turning(32, 32, 48, 32), turning(32, 32, 32, 48)}) {
    EXPECT_NE(refusal(model).find("is copied to tensor"), std::string::npos);
  }
  TestModel text = turning(32, 32, 32, 32);
  text.graphs[2].tensors[1].type = kString;
  EXPECT_NE(refusal(text).find("of any number of bytes is copied to"), std::string::npos);
}

// --- operators on constants ---

TEST(TfliteMemory, WhatTheRuntimeComputesEachTimeHasBytesInTheArena) {
  // DEQUANTIZE of 256 constants to 1,024 bytes, added to the 1,024 of x.
  const auto graph = [](std::int8_t type, std::size_t data) {
    return TestGraph{
        .tensors = {floats("x", 256), {"k", {256}, type, data}, floats("w", 256), floats("y", 256)},
        .inputs = {0},
        .outputs = {3},
        .ops = {{kDequantize, {1}, {2}}, {kAdd, {0, 2}, {3}}}};
  };
  EXPECT_EQ(test::arena_bytes(test::planned(tflite_bytes(graph(kInt8, 256)))), 3072U);
  // Half precision is what only a runtime takes that keeps the result.
  constexpr std::int8_t kFloat16 = 1;
  const Plan once = test::planned(tflite_bytes(graph(kFloat16, 512)));
  EXPECT_EQ(test::arena_bytes(once), 2048U);
  // The step that is left is the second operator of the file.
  ASSERT_EQ(once.origins.size(), 1U);
  EXPECT_EQ(once.origins[0], (PhaseOrigin{0, 1, ""}));
}

TEST(TfliteMemory, DensifyOfAConstantIsDoneOnce) {
  constexpr std::int32_t kDensify = 124;
  const TestGraph graph = {.tensors = {floats("x", 256),
                                       {"k", {256}, kFloat32, 1024},
                                       floats("w", 256),
                                       floats("y", 256)},
                           .inputs = {0},
                           .outputs = {3},
                           .ops = {{kDensify, {1}, {2}}, {kAdd, {0, 2}, {3}}}};
  EXPECT_EQ(test::arena_bytes(test::planned(tflite_bytes(graph))), 2048U);
}

TEST(TfliteMemory, AModelThatIsPlannedAgainDoesNotGrow) {
  const std::string plain = tflite_bytes(turning(32, 32, 32, 32));
  const auto planned_again = [](const std::string& model) {
    const auto answer = test::answer(model).value();
    const auto& planned = std::get<PlannedFile>(answer);
    const std::vector<std::string> paths = {"again.tflite"};
    return output_forms({"case", model}, planned, paths).value()[0].content;
  };
  const std::string once = planned_again(plain);
  EXPECT_EQ(planned_again(once), once);
  OfflinePlan other(read_tflite(once, "once").value().tensors.size());
  const std::string moved = write_tflite_offline_plan(once, "once", other).value();
  EXPECT_EQ(moved.size(), once.size());
  EXPECT_EQ(planned_again(moved), once);
}

// --- data in the file ---

TEST(TfliteMemory, AConstantIsAsLongAsItsData) {
  const auto model = [](TestTensor k) {
    return TestModel{{TestGraph{.tensors = {floats("x", 4), std::move(k), floats("y", 4)},
                                .inputs = {0},
                                .outputs = {2},
                                .ops = {{kAdd, {0, 1}, {2}}}}}};
  };
  EXPECT_EQ(refusal(model({"k", {2048}, kFloat32, 820})),
            "case: subgraph 0, tensor 1 'k': a constant of shape [2048] of FLOAT32 has 8192 bytes; "
            "its data in the file 820 (the file was cut or its shape changed: convert the model "
            "again)");
  EXPECT_EQ(refusal(model({"k", {205}, kFloat32, 820})), "");
  EXPECT_NE(refusal(model({"k", {0}, kFloat32, 4})), "");
  EXPECT_NE(refusal(model({"k", {204}, kFloat32, 820})), "");
  EXPECT_NE(refusal(model({"k", {1 << 30, 1 << 30}, kInt8, 4})), "");
  EXPECT_EQ(refusal(model({"k", {5}, kInt4, 3})), "");
  EXPECT_EQ(refusal(model({"k", {5}, kInt4, 5})), "");  // a byte each
  EXPECT_NE(refusal(model({"k", {5}, kInt4, 2})), "");
  EXPECT_EQ(refusal(model({"k", {5}, kString, 2})), "");  // as long as its text
}

// --- accelerators ---

std::string block(const std::vector<std::int32_t>& offsets) {
  std::vector<std::int32_t> words = {1, 1, static_cast<std::int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  std::string bytes;
  for (const std::int32_t word : words) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      bytes += static_cast<char>(static_cast<std::uint32_t>(word) >> (8 * byte) & 0xFFU);
    }
  }
  return bytes;
}

// x -> ethos-u -> y, which both lie in the operator's scratch of 1,000 bytes; then y -> z.
TestModel compiled(const std::vector<std::int32_t>& offsets, std::vector<std::int32_t> last = {2}) {
  TestModel model{{TestGraph{
      .tensors = {sized("x", 96), sized("scratch", 1000), sized("y", 64), sized("z", 64),
                  sized("fast", 1000)},
      .inputs = {0},
      .outputs = {3},
      .ops = {{kCustom, {1, 4, 0}, {2}, {}, "ethos-u"}, {kRelu, std::move(last), {3}}}}}};
  if (!offsets.empty()) model.offline = block(offsets);
  return model;
}

TEST(TfliteMemory, ARegionThatACompilerLaidOutIsKeptAndCountedOnce) {
  const std::string model = tflite_bytes(compiled({0, 0, 0, 64, 0}));
  const auto answer = test::answer(model).value();
  const auto& planned = std::get<PlannedFile>(answer);
  EXPECT_EQ(test::arena_bytes(planned.plan), 1000U + 8);  // in units of 16
  EXPECT_EQ(test::offset(planned.plan, "x"), 0U);
  EXPECT_EQ(test::offset(planned.plan, "y"), 0U);
  EXPECT_EQ(test::offset(planned.plan, "z"), 64U);
  ASSERT_EQ(planned.question.notes.size(), 1U);
  EXPECT_NE(planned.question.notes[0].find("inside the operator is not judged"), std::string::npos);
  EXPECT_TRUE(check_file({"m.tflite", model}, std::nullopt, {}).value().sound());
  const std::vector<std::string> paths = {"again.tflite"};
  const auto again = output_forms({"case", model}, planned, paths).value();
  EXPECT_EQ(again[0].content, model);
}

TEST(TfliteMemory, WhatOtherStepsSeeOfARegionIsJudged) {
  // x is read again once y stands on its bytes.
  const std::string lost = tflite_bytes(compiled({0, 0, 0, 64, 0}, {2, 0}));
  EXPECT_FALSE(check_file({"m.tflite", lost}, std::nullopt, {}).value().sound());
  const std::string apart = tflite_bytes(compiled({0, 0, 96, 160, 0}, {2, 0}));
  EXPECT_TRUE(check_file({"m.tflite", apart}, std::nullopt, {}).value().sound());
  // z on the bytes of y, which it is made from.
  const std::string over = tflite_bytes(compiled({0, 0, 0, 0, 0}));
  EXPECT_FALSE(check_file({"m.tflite", over}, std::nullopt, {}).value().sound());
  // Half in the region, half out of it.
  const std::string across = tflite_bytes(compiled({0, 0, 976, 64, 0}));
  EXPECT_FALSE(check_file({"m.tflite", across}, std::nullopt, {}).value().sound());
}

TEST(TfliteMemory, ACompiledModelWithoutItsPlanIsNotRewritten) {
  const std::string model = tflite_bytes(compiled({}));
  const auto answer = test::answer(model).value();
  const auto& planned = std::get<PlannedFile>(answer);
  // The scratch is a tensor of the arena like any other.
  EXPECT_EQ(test::arena_bytes(planned.plan), 96U + 64 + 2 * 1008);
  const std::vector<std::string> paths = {"again.tflite"};
  const auto again = output_forms({"case", model}, planned, paths);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("carries no plan that has them"), std::string::npos);
}

// --- what a capacity counts ---

TEST(TfliteMemory, ACapacityCountsWhatIsVariable) {
  TestGraph graph = {.tensors = {sized("x", 64), sized("state", 1000), sized("y", 64)},
                     .inputs = {0},
                     .outputs = {2},
                     .ops = {{kAdd, {0, 1}, {2}}}};
  graph.tensors[1].variable = true;
  const std::string model = tflite_bytes(graph);
  const Plan plan = test::planned(model, with_capacity(128 + 1008));
  EXPECT_EQ(plan.arenas[0].beside, Bytes(1008));
  const DoesNotFit no = no_of(model, with_capacity(128 + 1007));
  EXPECT_TRUE(no.proved);
  EXPECT_NE(no.report.find("short by"), std::string::npos) << no.report;
  EXPECT_NE(no.report.find("1 variable"), std::string::npos) << no.report;
  EXPECT_TRUE(no_of(model, with_capacity(1007)).proved);
}

TEST(TfliteMemory, WhatHasNoKnownSizeLeavesACapacityUndecided) {
  TestGraph graph = {.tensors = {sized("x", 64), sized("words", 64), sized("y", 64)},
                     .inputs = {0},
                     .outputs = {2},
                     .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}}};
  graph.tensors[1].type = kString;
  const std::string model = tflite_bytes(graph);
  EXPECT_NO_THROW(test::planned(model));
  const DoesNotFit open = no_of(model, with_capacity(4096));
  EXPECT_FALSE(open.proved);
  EXPECT_NE(open.report.find("only the run knows the size of words"), std::string::npos)
      << open.report;
  EXPECT_TRUE(no_of(model, with_capacity(63)).proved);
}

TEST(TfliteMemory, WhatIsHeldTakesMemoryToo) {
  PlanOptions options = with_capacity(200);
  options.hold = {"a"};
  EXPECT_EQ(test::arena_bytes(test::planned(test::table("a,0,2,100\nb,0,2,100\n"), options)), 100U);
  options.capacity = {{"", Bytes(199)}};
  EXPECT_TRUE(no_of(test::table("a,0,2,100\nb,0,2,100\n"), options).proved);
  options.hold = {"a", "b"};  // nothing is left to place
  EXPECT_TRUE(no_of(test::table("a,0,2,100\nb,0,2,100\n"), options).proved);
}

TEST(TfliteMemory, ParametersAndTheStorageOfCallsTakeMemoryOfTheirDevice) {
  const std::string text = R"({"format": "berth.schedule/1", "ops": [
    {"op": "param", "slot": 0, "dtype": "int8", "size": 512, "device": "GPU"},
    {"op": "buffer", "slot": 1, "dtype": "int8", "size": 256, "device": "GPU"},
    {"op": "alloc", "slot": 2, "dtype": "int8", "size": 1024, "device": "GPU"},
    {"op": "alloc", "slot": 3, "dtype": "int8", "size": 256, "device": "GPU"},
    {"op": "kernel", "name": "k"},
    {"op": "call", "src": [4, 0, 1, 2]},
    {"op": "kernel", "name": "l"},
    {"op": "call", "src": [6, 1, 3]},
    {"op": "linear", "src": [5, 7]}], "root": 8})";
  // The two calls' own storage is not there at once.
  EXPECT_EQ(test::arena_bytes(test::planned(text, with_capacity(256 + 512 + 1024))), 256U);
  EXPECT_TRUE(no_of(text, with_capacity(256 + 512 + 1023)).proved);
}

TEST(TfliteMemory, AVerdictSaysWhatItDoesNotCount) {
  const Plan plan = test::planned(tflite_bytes(turning(32, 32, 32, 32)), with_capacity(4096));
  ASSERT_EQ(plan.not_counted.size(), 2U);
  EXPECT_EQ(plan.not_counted[0], "scratch of kernels (--scratch adds it)");
  EXPECT_NE(plan.not_counted[1].find("an estimated"), std::string::npos);
  EXPECT_GT(plan.estimate, Bytes(300));
}

// --- placeholders ---

TEST(TfliteMemory, AnInputWhoseSizeIsAPlaceholderIsNamed) {
  const auto notes = [](std::vector<std::int32_t> shape, std::vector<std::int32_t> signature) {
    TestGraph graph = {.tensors = {{"x", shape, kFloat32}, {"y", shape, kFloat32}},
                       .inputs = {0},
                       .outputs = {1},
                       .ops = {{kRelu, {0}, {1}}}};
    graph.tensors[0].signature = std::move(signature);
    const auto answer = test::answer(tflite_bytes(graph)).value();
    return std::get<PlannedFile>(answer).question.notes;
  };
  EXPECT_TRUE(notes({1, 8}, {-1, 8}).empty());
  EXPECT_TRUE(notes({1, 8}, {}).empty());
  const auto told = notes({1, 1, 3}, {-1, -1, 3});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0],
            "the size of input x is a placeholder: the model leaves it open [-1, -1, 3], and "
            "[1, 1, 3] is planned");
  EXPECT_EQ(notes({2, 8}, {-1, 8}).size(), 1U);
}

}  // namespace
}  // namespace berth
