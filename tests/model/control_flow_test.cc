#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/model/clock.h"
#include "tests/model/models.h"
#include "tests/testing/instance_facts.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

using Steps = std::vector<std::string>;

void relu_of(GraphWriter& g, const std::string& from, const std::string& to) {
  g.node("Relu", {from}, {to});
}

WriteGraph branch(const std::string& op, const std::string& from, const std::string& result) {
  return [=](GraphWriter& b) {
    b.node(op, {from}, {result});
    b.output(result);
  };
}

void conditional(GraphWriter& g) {
  g.input("c", {}, kBoolean);
  g.input("x", {64});
  relu_of(g, "x", "a");
  auto& node = g.node("If", {"c"}, {"y"});
  add_body(node, "then_branch", branch("Abs", "a", "t"));
  add_body(node, "else_branch", branch("Neg", "a", "e"));
  relu_of(g, "y", "z");
  g.output("z");
}

TEST(ModelClock, TheBranchesOfAnIfFollowEachOther) {
  const auto model = program_of(conditional);
  EXPECT_EQ(steps_of(model.program),
            (Steps{"Relu", "If/then_branch/enter", "If/then_branch/Abs", "If/then_branch/exit",
                   "If/else_branch/enter", "If/else_branch/Neg", "If/else_branch/exit", "Relu"}));
  const Lives lives(model.program);
  EXPECT_EQ(lives.life("a"), (LiveRange{0, 6}));
  EXPECT_EQ(lives.life("t"), (LiveRange{2, 4}));
  EXPECT_EQ(lives.life("e"), (LiveRange{5, 7}));
  EXPECT_EQ(lives.life("y"), (LiveRange{3, 8}));
}

TEST(ModelClock, ABranchThatAKnownConditionNeverTakesHasNoSteps) {
  const auto model =
      program_of(conditional, {.bindings = {.symbols = {{"c", SizeRange{1, 1}}}, .shapes = {}}});
  EXPECT_EQ(steps_of(model.program), (Steps{"Relu", "If/then_branch/enter", "If/then_branch/Abs",
                                            "If/then_branch/exit", "Relu"}));
  EXPECT_EQ(Lives(model.program).kept("e"), KeptWhy::Unused);
}

// x is read by the loop's body, from around it.
void loop(GraphWriter& g, const Names& results) {
  g.scalar("limit", 4);
  g.input("start", {16});
  g.input("x", {16});
  relu_of(g, "x", "around");
  auto& node = g.node("Loop", {"limit", "", "start"}, results);
  add_body(node, "body", [](GraphWriter& b) {
    b.input("i", {}, kInt64);
    b.input("go", {}, kBoolean);
    b.input("v", {16});
    b.node("Identity", {"go"}, {"go_on"});
    b.node("Add", {"v", "around"}, {"next"});
    b.node("Abs", {"next"}, {"each"});
    b.output("go_on", {}, kBoolean);
    b.output("next", {16});
    b.output("each", {16});
  });
}

TEST(ModelClock, WhatALoopReadsFromAroundItLivesThroughAllTurns) {
  const auto model = program_of([](GraphWriter& g) {
    loop(g, {"last", "all"});
    g.output("all");
  });
  EXPECT_EQ(steps_of(model.program),
            (Steps{"Relu", "Loop/enter", "Loop/body/enter", "Loop/body/Identity", "Loop/body/Add",
                   "Loop/body/Abs", "Loop/body/exit"}));
  const Lives lives(model.program);
  EXPECT_EQ(lives.life("around"), (LiveRange{0, 7}));
  EXPECT_EQ(lives.life("last"), (LiveRange{1, 7}));
  EXPECT_EQ(lives.life("v"), (LiveRange{2, 5}));
  EXPECT_EQ(lives.life("next"), (LiveRange{4, 7}));
  EXPECT_EQ(lives.life("start"), (LiveRange{0, 2}));
  // Four turns of 16: the limit is known, and nothing else ends the loop.
  EXPECT_EQ(lives.life("all"), (LiveRange{1, 7}));
  EXPECT_EQ(bytes_of(model.program, "all"), Bytes(4 * 16 * 4));
}

TEST(ModelClock, ACarriedValueWithoutAResultLivesInTheBodysInput) {
  const auto model = program_of([](GraphWriter& g) {
    loop(g, {"", "all"});
    g.output("all");
  });
  EXPECT_EQ(Lives(model.program).life("v"), (LiveRange{2, 7}));
}

TEST(ModelClock, ALoopWhoseCarriedValueGrowsLeavesItsSizeOpen) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("limit", {}, kInt64);
    g.input("start", {4});
    auto& node = g.node("Loop", {"limit", "", "start"}, {"last"});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("i", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("v", {""});
      b.node("Identity", {"go"}, {"go_on"});
      b.node("Concat", {"v", "v"}, {"next"}, {{"axis", {0}}});
      b.output("go_on");
      b.output("next");
    });
    g.output("last");
  });
  const Lives lives(model.program);
  EXPECT_EQ(lives.kept("v"), KeptWhy::Dynamic);
  EXPECT_EQ(lives.kept("last"), KeptWhy::Dynamic);
  EXPECT_EQ(lives.life("start"), (LiveRange{0, 1}));
  EXPECT_EQ(model.notes.size(), 1U);
}

TEST(ModelClock, ScanTakesSlicesAndStacksResults) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("sum", {2});
    g.input("rows", {3, 2});
    auto& node = g.node("Scan", {"sum", "rows"}, {"total", "sums"}, {{"num_scan_inputs", {1}}});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("before", {2});
      b.input("row", {2});
      b.node("Add", {"before", "row"}, {"after"});
      b.node("Identity", {"after"}, {"each"});
      b.output("after");
      b.output("each");
    });
    g.output("total");
    g.output("sums");
  });
  EXPECT_EQ(steps_of(model.program), (Steps{"Scan/enter", "Scan/body/enter", "Scan/body/Add",
                                            "Scan/body/Identity", "Scan/body/exit"}));
  const Lives lives(model.program);
  EXPECT_EQ(lives.life("rows"), (LiveRange{0, 5}));  // each turn takes a row
  EXPECT_EQ(lives.life("sum"), (LiveRange{0, 1}));
  EXPECT_EQ(bytes_of(model.program, "sums"), Bytes(24));
  EXPECT_EQ(bytes_of(model.program, "row"), Bytes(8));
}

TEST(ModelClock, BodiesMustTakeAndGiveWhatTheirNodePasses) {
  EXPECT_EQ(refusal_of([](GraphWriter& g) {
              g.input("c", {}, kBoolean);
              g.input("x", {2});
              auto& node = g.node("If", {"c"}, {"y", "z"});
              add_body(node, "then_branch", branch("Abs", "x", "t"));
              add_body(node, "else_branch", branch("Neg", "x", "e"));
              g.output("y");
            }),
            "m.onnx: If: its then_branch has 1 outputs; the node needs 2");
  EXPECT_EQ(refusal_of([](GraphWriter& g) {
              g.input("x", {2});
              add_body(g.node("Loop", {"", "", "x"}, {"y"}), "body", branch("Abs", "x", "t"));
              g.output("y");
            }),
            "m.onnx: Loop: its body has 0 inputs; the node needs 3");
}

TEST(ModelClock, NestedLoopsKeepWhatAnOuterTurnReadsAgain) {
  const auto model = program_of([](GraphWriter& g) {
    g.scalar("limit", 2);
    g.input("x", {16});
    relu_of(g, "x", "around");
    auto& outer = g.node("Loop", {"limit", "", "x"}, {"last"});
    add_body(outer, "body", [](GraphWriter& b) {
      b.input("i", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("v", {16});
      auto& inner = b.node("Loop", {"limit", "", "v"}, {"w"});
      add_body(inner, "body", [](GraphWriter& c) {
        c.input("j", {}, kInt64);
        c.input("go2", {}, kBoolean);
        c.input("u", {16});
        c.node("Add", {"u", "around"}, {"u2"});
        c.output("go2");
        c.output("u2");
      });
      b.node("Abs", {"w"}, {"next"});
      b.output("go");
      b.output("next");
    });
    g.output("last");
  });
  const auto steps = steps_of(model.program);
  EXPECT_EQ(steps.back(), "Loop/body/exit");
  EXPECT_EQ(Lives(model.program).life("around").upper, steps.size());
}

}  // namespace
}  // namespace berth
