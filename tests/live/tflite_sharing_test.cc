#include <gtest/gtest.h>

#include <functional>

#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/tflite_model.h"

// Results that are written over an operand, and parts straight to their place in what a
// concatenation joins.
namespace berth {
namespace {

using namespace berth::testing;  // NOLINT: the small language of these tests

ProgramInstance planned(const std::string& bytes, const TfliteOptions& options) {
  return program_instance(read_tflite(bytes, "test.tflite", options).value(), {}).value();
}

std::uint64_t load(const ProgramInstance& planned) {
  return brute_max_load(planned.instance);
}

// --- writes in place ---

TEST(WritesInPlace, AnOperandWithALaterReaderIsNotOverwritten) {
  const auto plan = planned(tflite_bytes(TestGraph{.tensors = {sized("in", 1), sized("b", 256),
                                                               sized("p", 256), sized("d", 256)},
                                                   .inputs = {0},
                                                   .outputs = {3},
                                                   .ops = {{kCustom, {0}, {1}, {}, "Make"},
                                                           {kRelu, {1}, {2}},
                                                           {kCustom, {1, 2}, {3}, {}, "Both"}}}),
                            {.in_place = true});
  EXPECT_NE(find_member(plan, "p")->buffer, find_member(plan, "b")->buffer);
  EXPECT_EQ(load(plan), 768U);
}

TEST(WritesInPlace, TheResultTakesTheOperandOfItsShapeNotTheOneThatIsBroadcast) {
  const auto plan =
      planned(tflite_bytes(TestGraph{
                  .tensors = {sized("in", 1), {"x", {4, 256}}, sized("v", 256), {"y", {4, 256}}},
                  .inputs = {0},
                  .outputs = {3},
                  .ops = {{kCustom, {0}, {1}, {}, "Make"},
                          {kCustom, {0}, {2}, {}, "Make"},
                          {kMul, {2, 1}, {3}}}}),
              {.in_place = true});
  const Member* y = find_member(plan, "y");
  EXPECT_EQ(y->buffer, find_member(plan, "x")->buffer);
  ASSERT_TRUE(y->reuses);
  EXPECT_EQ(plan.members[*y->reuses].name, "x");
  EXPECT_EQ(load(plan), 1281U);  // x, v and in, then y on x beside v
}

TEST(WritesInPlace, OfTwoOperandsTheOneThatDiesIsTaken) {
  const auto plan =
      planned(tflite_bytes(TestGraph{.tensors = {sized("in", 1), sized("a", 64), sized("b", 64),
                                                 sized("y", 64), sized("o", 64)},
                                     .inputs = {0},
                                     .outputs = {4},
                                     .ops = {{kCustom, {0}, {1, 2}, {}, "Make"},
                                             {kAdd, {1, 2}, {3}},
                                             {kCustom, {1, 3}, {4}, {}, "Both"}}}),
              {.in_place = true});
  EXPECT_EQ(plan.members[find_member(plan, "y")->reuses.value()].name, "b");
}

TEST(WritesInPlace, NothingStandsOnTheBytesOfAState) {
  const auto plan =
      planned(tflite_bytes(TestGraph{
                  .tensors = {{"w0", {256}, kUint8, 0, true}, sized("u", 256), sized("y", 256)},
                  .inputs = {},
                  .outputs = {2},
                  .ops = {{kReshape, {0}, {1}}, {kCustom, {1}, {2}, {}, "Use"}}}),
              {.views = true, .in_place = true});
  EXPECT_EQ(find_kept(plan, "w0")->why, KeptWhy::Variable);
  EXPECT_FALSE(find_member(plan, "u")->view_of);
  EXPECT_EQ(load(plan), 512U);
}

TEST(WritesInPlace, AChainOfWritesInPlaceIsOneBuffer) {
  const auto plan =
      planned(tflite_bytes(TestGraph{.tensors = {sized("in", 1), sized("a", 64), sized("b", 64),
                                                 sized("c", 64), sized("d", 64)},
                                     .inputs = {0},
                                     .outputs = {4},
                                     .ops = {{kCustom, {0}, {1}, {}, "Make"},
                                             {kRelu, {1}, {2}},
                                             {kRelu, {2}, {3}},
                                             {kRelu, {3}, {4}}}}),
              {.in_place = true});
  EXPECT_EQ(plan.instance.size(), 2U);
  EXPECT_EQ(plan.instance[find_member(plan, "d")->buffer].life, (LiveRange{0, 4}));
  EXPECT_EQ(load(plan), 65U);
}

// --- parts of a concatenation ---

// in -> a, b -> j = a joined with b -> o
TestGraph joining() {
  return {
      .tensors = {{"in", {1, 1}}, {"a", {1, 64}}, {"b", {1, 64}}, {"j", {1, 128}}, {"o", {1, 128}}},
      .inputs = {0},
      .outputs = {4},
      .ops = {{kCustom, {0}, {1}, {}, "Make"},
              {kCustom, {0}, {2}, {}, "Make"},
              {.code = kConcatenation, .inputs = {1, 2}, .outputs = {3}, .axis = 1},
              {kCustom, {3}, {4}, {}, "Use"}}};
}

ProgramInstance planned(const TestGraph& graph, Alignment unit = {}) {
  const auto program = read_tflite(tflite_bytes(graph), "m.tflite", {.in_place = true});
  return program_instance(program.value(), unit).value();
}

std::optional<Bytes> place_in_j(const ProgramInstance& plan, const std::string& name) {
  const Member* part = find_member(plan, name);
  if (!part->view_of || plan.members[*part->view_of].name != "j") return std::nullopt;
  return part->offset;
}

TEST(Joined, PartsStandInTheirWhole) {
  const auto plan = planned(joining());
  EXPECT_EQ(place_in_j(plan, "a"), Bytes(0));
  EXPECT_EQ(place_in_j(plan, "b"), Bytes(64));
  EXPECT_EQ(brute_max_load(plan.instance), 256U);  // j beside o
}

TEST(Joined, TheWholeHoldsOnlyThePartsThatAreThere) {
  const auto plan = planned(joining());
  EXPECT_EQ(find_member(plan, "j")->gaps, (std::vector<Gap>{{{0, 1}, ByteRange{0, 64}}}));
}

// Of a change to the model: no part stands in j, each for a reason of its own.
void expect_apart(const std::function<void(TestGraph&)>& change) {
  TestGraph graph = joining();
  change(graph);
  const auto plan = planned(graph);
  EXPECT_FALSE(place_in_j(plan, "a"));
}

TEST(Joined, PartsThatAreNotOneStretchOfTheWholeStandApart) {
  expect_apart([](TestGraph& graph) {
    graph.tensors[1].shape = graph.tensors[2].shape = {2, 32};
    graph.tensors[3].shape = {2, 64};
  });
}

TEST(Joined, PartsThatAreRescaledStandApart) {
  expect_apart([](TestGraph& graph) {
    graph.tensors[1].scale = 0.5F;
    graph.tensors[3].scale = 0.25F;
  });
  TestGraph same = joining();
  for (const std::size_t i : {1U, 2U, 3U}) same.tensors[i].scale = 0.5F;
  EXPECT_TRUE(place_in_j(planned(same), "a"));
}

TEST(Joined, PartsBehindAnActivationStandApart) {
  expect_apart([](TestGraph& graph) { graph.ops[2].activation = 1; });
}

TEST(Joined, APartWithoutAxisOrWithOnePastTheShapeStandsApart) {
  expect_apart([](TestGraph& graph) { graph.ops[2].axis.reset(); });
  expect_apart([](TestGraph& graph) { graph.ops[2].axis = 7; });
  expect_apart([](TestGraph& graph) { graph.ops[2].axis = INT32_MIN; });
}

TEST(Joined, OnlyTheFirstOfEqualPartsStandsInTheWhole) {
  TestGraph graph = joining();
  graph.ops[2].inputs = {1, 1};
  const auto plan = planned(graph);
  EXPECT_EQ(place_in_j(plan, "a"), Bytes(0));
}

TEST(Joined, WhatIsGivenInAndJoinedIntoWhatIsGivenOutStandsApart) {
  expect_apart([](TestGraph& graph) {
    graph.inputs = {0, 1};
    graph.outputs = {3, 4};
    graph.ops.erase(graph.ops.begin());
  });
}

TEST(Joined, APartOffTheUnitStandsApart) {
  TestGraph graph = joining();
  graph.tensors[1].shape = {1, 60};
  graph.tensors[2].shape = {1, 68};
  const auto plan = planned(graph, *Alignment::of(16));
  EXPECT_EQ(place_in_j(plan, "a"), Bytes(0));
  EXPECT_FALSE(place_in_j(plan, "b"));
}

}  // namespace
}  // namespace berth
