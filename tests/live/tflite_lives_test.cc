// Small models from reports of faults that people met, each with the lives and the load that are
// right. Sizes are a few hundred bytes, so the sums can be checked by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

ProgramInstance planned(const std::string& bytes, const TfliteOptions& options = {}) {
  const auto program = read_tflite(bytes, "test.tflite", options);
  EXPECT_TRUE(program) << to_string(program.error());
  auto instance = program_instance(*program, Alignment());
  EXPECT_TRUE(instance) << to_string(instance.error());
  return std::move(*instance);
}

std::uint64_t load(const ProgramInstance& planned) {
  return brute_max_load(planned.instance);
}

LiveRange life(const ProgramInstance& planned, std::string_view name) {
  const Member* member = find_member(planned, name);
  EXPECT_NE(member, nullptr) << name << " is not planned";
  return member == nullptr ? LiveRange{} : member->life;
}

// The bytes of two tensors may meet in the arena only where this is true.
bool may_share(const ProgramInstance& planned, std::string_view a, std::string_view b) {
  return !life(planned, a).overlaps(life(planned, b));
}

std::string step_name(const ProgramInstance& planned, Step step) {
  return planned.instance.step_names()[step];
}

// --- plain graphs ---

TEST(TfliteLives, AResultNobodyReadsHasBytesAtItsOwnStep) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {sized("in", 1), sized("a", 256), sized("dead", 256), sized("b", 256)},
                .inputs = {0},
                .outputs = {3},
                .ops = {{kCustom, {0}, {1, 2}, {}, "two"}, {kRelu, {1}, {3}}}}));
  EXPECT_EQ(life(plan, "dead"), (LiveRange{0, 1}));
  EXPECT_FALSE(may_share(plan, "dead", "a"));
  EXPECT_TRUE(may_share(plan, "dead", "b"));
  EXPECT_EQ(load(plan), 513U);  // in, a and dead
}

TEST(TfliteLives, ConstantsAndAbsentOperandsAreNotPlanned) {
  const auto plan = planned(
      tflite_bytes(TestGraph{.tensors = {sized("x", 256), constant("k", 4096), sized("y", 256)},
                             .inputs = {0},
                             .outputs = {2},
                             .ops = {{kConv2d, {0, 1, -1}, {2}}}}));
  EXPECT_EQ(load(plan), 512U);
  ASSERT_NE(find_kept(plan, "k"), nullptr);
  EXPECT_EQ(find_kept(plan, "k")->why, KeptWhy::Constant);
  EXPECT_EQ(find_kept(plan, "k")->bytes, Bytes(4096));
}

// The runtime runs it each time, into its arena, though all that it reads is constant.
TEST(TfliteLives, AnOperatorOnConstantsIsAStep) {
  const auto program = read_tflite(
      tflite_bytes(TestGraph{
          .tensors = {sized("x", 256), constant("packed", 128), sized("k", 256), sized("y", 256)},
          .inputs = {0},
          .outputs = {3},
          .ops = {{kDequantize, {1}, {2}}, {kAdd, {0, 2}, {3}}}}),
      "test.tflite");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->phases.size(), 2U);
  EXPECT_EQ(program->phases[0].name, "DEQUANTIZE");
  EXPECT_EQ(program->tensors[2].kind, TensorKind::Intermediate);
}

TEST(TfliteLives, CustomOperatorsOfConstantsStaySteps) {
  const auto program =
      read_tflite(tflite_bytes(TestGraph{.tensors = {constant("seed", 4), sized("y", 256)},
                                         .inputs = {},
                                         .outputs = {1},
                                         .ops = {{kCustom, {0}, {1}, {}, "Roll"}}}),
                  "test.tflite");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->phases.size(), 1U);
  EXPECT_EQ(program->phases[0].name, "Roll");
}

TEST(TfliteLives, ZeroSizedTensorsMeetNobody) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {{"z", {0, 7}}, sized("b", 64), {"y", {0}}, {"never written", {0}}},
                .inputs = {0},
                .outputs = {1, 2},
                .ops = {{kRelu, {0}, {1}}, {kConcatenation, {0, 3}, {2}}}}));
  EXPECT_EQ(load(plan), 64U);
  EXPECT_EQ(find_kept(plan, "z")->why, KeptWhy::Empty);
  EXPECT_EQ(find_kept(plan, "y")->why, KeptWhy::Empty);
}

TEST(TfliteLives, AProgramMayGiveNothingBack) {
  const auto plan =
      planned(tflite_bytes(TestGraph{.tensors = {sized("in", 16), sized("a", 256)},
                                     .inputs = {0},
                                     .outputs = {},
                                     .ops = {{kRelu, {0}, {1}}, {kCustom, {1}, {}, {}, "Sink"}}}));
  EXPECT_EQ(load(plan), 272U);
}

TEST(TfliteLives, AModelWithoutOperatorsHasOneStep) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {sized("x", 8), sized("y", 8)}, .inputs = {0, 1}, .outputs = {1}}));
  EXPECT_EQ(load(plan), 16U);
  EXPECT_EQ(life(plan, "x"), (LiveRange{0, 1}));
}

TEST(TfliteLives, AResultListedTwiceCountsOnce) {
  const auto bytes =
      tflite_bytes(TestGraph{.tensors = {sized("x", 1), sized("y", 64), sized("z", 32)},
                             .inputs = {0},
                             .outputs = {1, 1, 2},
                             .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}}});
  EXPECT_EQ(read_tflite(bytes, "test.tflite")->outputs.size(), 3U);
  EXPECT_EQ(load(planned(bytes)), 96U);
}

TEST(TfliteLives, AResultThatIsAlsoReadLivesToTheEnd) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {sized("x", 1), sized("y", 64), sized("z", 32), sized("o", 16)},
                .inputs = {0},
                .outputs = {1, 3},
                .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}, {kRelu, {2}, {3}}}}));
  EXPECT_EQ(life(plan, "y"), (LiveRange{0, 3}));
}

TEST(TfliteLives, FourBitElementsTakeHalfAByteEach) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {{"u", {1024}, kInt4}, {"f", {1024}, kFloat32}, {"v", {1024}, kInt8}},
                .inputs = {0},
                .outputs = {2},
                .ops = {{kDequantize, {0}, {1}}, {kCustom, {1}, {2}, {}, "Quantize8"}}}));
  EXPECT_EQ(find_member(plan, "u")->bytes, Bytes(512));
  EXPECT_EQ(find_member(plan, "v")->bytes, Bytes(1024));
  EXPECT_EQ(load(plan), 5120U);
}

TEST(TfliteLives, OuterDimensionsDoNotWrapAtThirtyTwoBits) {
  const auto plan = planned(tflite_bytes(TestGraph{
      .tensors = {{"big", {1, 128, 1024, 65536}, kUint16}}, .inputs = {0}, .outputs = {0}}));
  EXPECT_EQ(load(plan), 17179869184U);
}

TEST(TfliteLives, AMinusOneOfTheSignatureIsReadAsTheShapeSays) {
  const auto plan = planned(tflite_bytes(TestGraph{
      .tensors = {{"x", {1, 96}, kUint8, 0, false, {}, {-1, 96}}}, .inputs = {0}, .outputs = {0}}));
  EXPECT_EQ(load(plan), 96U);
}

TEST(TfliteLives, TextAndHandlesAreDynamic) {
  const auto plan = planned(tflite_bytes(TestGraph{
      .tensors = {{"text", {4}, kString}, {"handle", {}, kResource}, sized("y", 8)},
      .inputs = {0},
      .outputs = {2},
      .ops = {{kVarHandle, {}, {1}}, {kAssignVariable, {1, 0}, {}}, {kReadVariable, {1}, {2}}}}));
  EXPECT_EQ(find_kept(plan, "text")->why, KeptWhy::Dynamic);
  EXPECT_EQ(find_kept(plan, "handle")->why, KeptWhy::Dynamic);
  EXPECT_EQ(load(plan), 8U);
}

TEST(TfliteLives, VariablesAreKeptAndMayHaveSeveralWriters) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {sized("x", 8), {"state", {64}, kUint8, 0, true}, sized("y", 8)},
                .inputs = {0},
                .outputs = {2},
                .ops = {{kCustom, {0, 1}, {1}, {}, "Step"}, {kCustom, {1}, {1, 2}, {}, "Step"}}}));
  EXPECT_EQ(find_kept(plan, "state")->why, KeptWhy::Variable);
  EXPECT_EQ(load(plan), 8U);
}

TEST(TfliteLives, ScratchOfACustomOperatorIsCallLocal) {
  const auto plan = planned(
      tflite_bytes(TestGraph{.tensors = {sized("x", 8), sized("scratch", 1000), sized("y", 8)},
                             .inputs = {0},
                             .outputs = {2},
                             .ops = {{kCustom, {0, 1}, {2}, {}, "ethos-u"}}}));
  EXPECT_EQ(find_kept(plan, "scratch")->why, KeptWhy::CallLocal);
  EXPECT_EQ(load(plan), 16U);
}

TEST(TfliteLives, NamesThatRepeatOrAreEmptyGetTheirIndex) {
  const auto plan = planned(tflite_bytes(
      TestGraph{.tensors = {sized("x", 8), sized("", 8), sized("x", 8), sized("x#2", 8)},
                .inputs = {0},
                .outputs = {3},
                .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}, {kRelu, {2}, {3}}}}));
  EXPECT_NE(find_member(plan, "x"), nullptr);
  EXPECT_NE(find_member(plan, "#1"), nullptr);
  EXPECT_NE(find_member(plan, "x#2#2"), nullptr);
  EXPECT_EQ(find_member(plan, "x#2")->tensor, TensorId(3));
}

// --- subgraphs ---

// in -> a copy of `bytes` bytes through one operator.
TestGraph body_of(std::int32_t bytes, const std::string& in, const std::string& out) {
  return {.tensors = {sized(in, bytes), sized(out, bytes)},
          .inputs = {0},
          .outputs = {1},
          .ops = {{kRelu, {0}, {1}}}};
}

TestGraph condition_of(std::int32_t bytes) {
  return {.tensors = {sized("seen", bytes), {"flag", {}, kBool}},
          .inputs = {0},
          .outputs = {1},
          .ops = {{kLess, {0}, {1}}}};
}

TEST(TfliteLives, ALoopsResultLivesThroughTheLoopAndOnToItsReaders) {
  const TestGraph main = {.tensors = {sized("in", 4), sized("start", 1024), sized("acc", 1024),
                                      sized("res", 1024), sized("o", 1024)},
                          .inputs = {0},
                          .outputs = {4},
                          .ops = {{kRelu, {0}, {1}},
                                  {kWhile, {1}, {2}, {1, 2}},
                                  {kCustom, {}, {3}, {}, "Make"},
                                  {kAdd, {2, 3}, {4}}}};
  const auto plan =
      planned(tflite_bytes(TestModel{{main, condition_of(1024), body_of(1024, "bi", "bo")}}));
  const std::vector<std::string> steps = {"RELU",
                                          "WHILE/cond/enter",
                                          "WHILE/cond/LESS",
                                          "WHILE/body/enter",
                                          "WHILE/body/RELU",
                                          "WHILE/body/exit",
                                          "Make",
                                          "ADD"};
  ASSERT_EQ(plan.instance.step_names().size(), steps.size());
  for (Step step = 0; step < steps.size(); ++step) EXPECT_EQ(step_name(plan, step), steps[step]);
  EXPECT_EQ(life(plan, "acc"), (LiveRange{1, 8}));
  EXPECT_EQ(life(plan, "start"), (LiveRange{0, 4}));  // copied to the body's input too
  EXPECT_FALSE(may_share(plan, "res", "acc"));
  EXPECT_EQ(load(plan), 3073U);  // start, acc, seen and the flag; then start, acc, flag, bi
}

// The lines of the block that the page marks ```steps.
std::vector<std::string> steps_of_the_page() {
  std::ifstream page(BERTH_ROOT "/docs/formats/tflite.md");
  std::vector<std::string> steps;
  std::string line;
  while (std::getline(page, line) && line != "```steps") {
  }
  while (std::getline(page, line) && line != "```") steps.push_back(line);
  return steps;
}

TEST(TfliteLives, TheStepsOfALoopAreThoseThatThePageLists) {
  const TestGraph main = {
      .tensors = {sized("in", 64), sized("start", 64), sized("acc", 64), sized("o", 64)},
      .inputs = {0},
      .outputs = {3},
      .ops = {{kRelu, {0}, {1}}, {kWhile, {1}, {2}, {1, 2}}, {kAdd, {2, 2}, {3}}}};
  const auto plan =
      planned(tflite_bytes(TestModel{{main, condition_of(64), body_of(64, "bi", "bo")}}));
  const auto names = plan.instance.step_names();
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), steps_of_the_page());
}

TEST(TfliteLives, ALoopsResultIsHeldEvenIfNobodyReadsIt) {
  const TestGraph main = {.tensors = {sized("in", 64), sized("acc", 64)},
                          .inputs = {0},
                          .outputs = {},
                          .ops = {{kWhile, {0}, {1}, {1, 2}}}};
  const auto plan =
      planned(tflite_bytes(TestModel{{main, condition_of(64), body_of(64, "bi", "bo")}}));
  EXPECT_EQ(life(plan, "acc"), (LiveRange{0, 5}));
}

TEST(TfliteLives, ValuesAcrossALoopStayOffEverythingInIt) {
  const TestGraph main = {
      .tensors = {sized("in", 256), sized("a", 256), sized("u", 256), sized("b", 256)},
      .inputs = {0},
      .outputs = {3},
      .ops = {{kRelu, {0}, {1}}, {kWhile, {0}, {2}, {1, 2}}, {kAdd, {1, 2}, {3}}}};
  const auto plan =
      planned(tflite_bytes(TestModel{{main, condition_of(256), body_of(256, "bi", "bo")}}));
  for (const char* inner : {"seen", "flag", "bi", "bo", "u"}) {
    EXPECT_FALSE(may_share(plan, "a", inner)) << inner;
  }
}

TEST(TfliteLives, InputsOfASubgraphThatNobodyReadsHaveBytesForTheCopy) {
  const TestGraph condition = {.tensors = {sized("i", 256), sized("d", 256), {"flag", {}, kBool}},
                               .inputs = {0, 1},
                               .outputs = {2},
                               .ops = {{kLess, {1}, {2}}}};
  const TestGraph body = {
      .tensors = {sized("bi", 256), sized("bd", 256)}, .inputs = {0, 1}, .outputs = {0, 1}};
  const TestGraph main = {
      .tensors = {sized("x", 256), sized("y", 256), sized("p", 256), sized("q", 256)},
      .inputs = {0, 1},
      .outputs = {2, 3},
      .ops = {{kWhile, {0, 1}, {2, 3}, {1, 2}}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, condition, body}}));
  EXPECT_EQ(life(plan, "i"), (LiveRange{0, 1}));
  EXPECT_FALSE(may_share(plan, "i", "d"));
  EXPECT_EQ(find_member(plan, "i")->bytes, Bytes(256));
}

TEST(TfliteLives, BranchesShareAndTheResultOfOneConditionalStaysOffTheNext) {
  const TestGraph one = {.tensors = {sized("p", 256)},
                         .inputs = {},
                         .outputs = {0},
                         .ops = {{kCustom, {}, {0}, {}, "Make"}}};
  TestGraph other = one;
  other.tensors[0].name = "p2";
  const TestGraph two = {.tensors = {sized("s", 256), sized("q", 256)},
                         .inputs = {},
                         .outputs = {1},
                         .ops = {{kCustom, {}, {0}, {}, "Make"}, {kRelu, {0}, {1}}}};
  TestGraph last = one;
  last.tensors[0].name = "q2";
  const TestGraph main = {
      .tensors = {{"c", {}, kBool, 1}, sized("P", 256), sized("Q", 256), sized("o", 256)},
      .inputs = {},
      .outputs = {3},
      .ops = {{kIf, {0}, {1}, {1, 2}}, {kIf, {0}, {2}, {3, 4}}, {kAdd, {1, 2}, {3}}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, one, other, two, last}}));
  EXPECT_TRUE(may_share(plan, "p", "p2"));
  EXPECT_TRUE(may_share(plan, "q", "q2"));
  for (const char* inner : {"s", "q", "q2"}) EXPECT_FALSE(may_share(plan, "P", inner)) << inner;
  EXPECT_EQ(load(plan), 768U);
  EXPECT_EQ(step_name(plan, 1), "IF/then/Make");
}

TEST(TfliteLives, ASubgraphThatRunsOnceIsPlannedToo) {
  const TestGraph init = {.tensors = {sized("s", 256), {"g", {256}, kUint8, 0, true}},
                          .inputs = {},
                          .outputs = {},
                          .ops = {{kCustom, {}, {0}, {}, "Make"}, {kRelu, {0}, {1}}}};
  const TestGraph main = {.tensors = {{"G", {256}, kUint8, 0, true}, sized("o", 256)},
                          .inputs = {},
                          .outputs = {1},
                          .ops = {{kCallOnce, {}, {}, {1}}, {kRelu, {0}, {1}}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, init}}));
  EXPECT_EQ(life(plan, "s"), (LiveRange{0, 2}));
  EXPECT_EQ(life(plan, "o"), (LiveRange{2, 3}));
  EXPECT_EQ(step_name(plan, 0), "CALL_ONCE/init/Make");
  EXPECT_EQ(load(plan), 256U);
}

TEST(TfliteLives, AllSubgraphsShareOneClock) {
  const TestGraph callee = {
      .tensors = {sized("g1", 512), sized("g2", 256)},
      .inputs = {},
      .outputs = {1},
      .ops = {{kCustom, {}, {0}, {}, "Make"}, {kCustom, {0}, {1}, {}, "Half"}}};
  const TestGraph main = {.tensors = {sized("x", 256), sized("y", 256)},
                          .inputs = {},
                          .outputs = {},
                          .ops = {{kCustom, {}, {0}, {}, "Make"},
                                  {kCall, {}, {1}, {1}},
                                  {kCustom, {0, 1}, {}, {}, "Sink"}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, callee}}));
  EXPECT_FALSE(may_share(plan, "x", "g1"));
  EXPECT_FALSE(may_share(plan, "x", "g2"));
  EXPECT_EQ(load(plan), 1024U);
}

TEST(TfliteLives, ASubgraphCalledTwiceLivesOverBothCalls) {
  const TestGraph main = {
      .tensors = {sized("x", 64), sized("y", 64), sized("z", 64), sized("o", 64)},
      .inputs = {0},
      .outputs = {3},
      .ops = {{kCall, {0}, {1}, {1}}, {kRelu, {1}, {2}}, {kCall, {2}, {3}, {1}}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, body_of(64, "bi", "bo")}}));
  EXPECT_EQ(life(plan, "bi"), (LiveRange{0, 6}));
  EXPECT_EQ(life(plan, "bo"), (LiveRange{1, 7}));
}

TEST(TfliteLives, ASubgraphThatTheMainOneNeverReachesIsUnused) {
  const TestGraph main = {.tensors = {sized("x", 64), sized("y", 64)},
                          .inputs = {0},
                          .outputs = {1},
                          .ops = {{kRelu, {0}, {1}}}};
  const auto plan = planned(tflite_bytes(TestModel{{main, body_of(64, "bi", "bo")}}));
  EXPECT_EQ(find_kept(plan, "bi")->why, KeptWhy::Unused);
  EXPECT_EQ(load(plan), 128U);
}

// --- views ---

// c0 w a; v = reshape a; r v w m; r v r m w n; r n w o
TestGraph reshaped() {
  return {.tensors = {sized("in", 1),
                      sized("a", 512),
                      {"v", {2, 256}},
                      sized("m", 256),
                      sized("n", 512),
                      sized("o", 512)},
          .inputs = {0},
          .outputs = {5},
          .ops = {{kCustom, {0}, {1}, {}, "Make"},
                  {kReshape, {1}, {2}},
                  {kCustom, {2}, {3}, {}, "Mean"},
                  {kCustom, {2, 3}, {4}, {}, "Norm"},
                  {kCustom, {4}, {5}, {}, "Out"}}};
}

TEST(TfliteLives, AViewKeepsItsBaseAlive) {
  const auto plan = planned(tflite_bytes(reshaped()), {.views = true});
  const Member* view = find_member(plan, "v");
  const Member* base = find_member(plan, "a");
  EXPECT_EQ(view->buffer, base->buffer);
  EXPECT_EQ(view->offset, Bytes(0));
  ASSERT_TRUE(view->view_of);
  EXPECT_EQ(&plan.members[*view->view_of], base);
  EXPECT_EQ(plan.instance[base->buffer].life, (LiveRange{0, 4}));
  EXPECT_EQ(load(plan), 1280U);
}

TEST(TfliteLives, WithoutViewsAReshapeIsACopy) {
  const auto plan = planned(tflite_bytes(reshaped()));
  EXPECT_NE(find_member(plan, "v")->buffer, find_member(plan, "a")->buffer);
}

TEST(TfliteLives, NoWeightOrStateIsViewedAndNoResultViewsAnInput) {
  const TestGraph graph = {
      .tensors = {sized("x", 64),
                  {"w", {64}, kUint8, 0, true},
                  sized("of x", 64),
                  sized("of w", 64),
                  sized("y", 64)},
      .inputs = {0},
      .outputs = {2, 4},
      .ops = {{kReshape, {0}, {2}}, {kReshape, {1}, {3}}, {kAdd, {3, 0}, {4}}}};
  const auto plan = planned(tflite_bytes(graph), {.views = true});
  EXPECT_FALSE(find_member(plan, "of x")->view_of);
  EXPECT_FALSE(find_member(plan, "of w")->view_of);
}

}  // namespace
}  // namespace berth
