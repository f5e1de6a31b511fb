#include <gtest/gtest.h>

#include <string>

#include "berth/formats/plan_json.h"
#include "berth/pipeline/check_file.h"
#include "tests/regress/bug_corpus.h"
#include "tests/testing/onnx_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests
using test::arena_bytes;
using test::is_planned;
using test::life;
using test::share_a_byte;

Plan planned(const WriteGraph& write, const PlanOptions& options = {}) {
  return test::planned(onnx_bytes(write), options);
}

std::string refusal(const WriteGraph& write) {
  return test::refusal(onnx_bytes(write));
}

// 256 bytes.
const TestDims kBlock = {64};

void branches(GraphWriter& g, const std::string& operand, const std::string& result,
              const WriteGraph& yes, const WriteGraph& no) {
  auto& node = g.node("If", {operand}, {result});
  add_body(node, "then_branch", yes);
  add_body(node, "else_branch", no);
}

TEST(BugCorpus, C1_TwoConditionalsInARowKeepTheFirstResult) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    g.weight("k", {64});
    const auto one = [](const std::string& name) {
      return [=](GraphWriter& b) {
        b.node("RandomNormal", {}, {name}, {{"shape", {64, 1}}});
        b.output(name);
      };
    };
    branches(g, "c", "P", one("p"), one("p2"));
    branches(
        g, "c", "Q",
        [](GraphWriter& b) {
          b.node("RandomNormal", {}, {"s"}, {{"shape", {64, 1}}});
          b.node("Abs", {"s"}, {"q"});
          b.output("q");
        },
        one("q2"));
    g.node("Add", {"P", "Q"}, {"o"});
    g.output("o");
  });
  EXPECT_TRUE(share_a_byte(plan, "p", "p2"));
  EXPECT_TRUE(share_a_byte(plan, "q", "q2"));
  for (const char* other : {"s", "q", "q2"}) EXPECT_FALSE(share_a_byte(plan, "P", other)) << other;
}

TEST(BugCorpus, C2_ABodysInputThatNobodyReadsHasBytesForTheCopy) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("x", kBlock);
    g.input("i", kBlock);
    g.scalar("limit", 3);
    auto& node = g.node("Loop", {"limit", "", "x", "i"}, {"a", "b"});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("n", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("read", kBlock);
      b.input("unread", kBlock);
      b.node("Abs", {"read"}, {"r"});
      b.output("go");
      b.output("r");
      b.output("r");
    });
    g.output("a");
  });
  EXPECT_TRUE(is_planned(plan, "unread"));
  EXPECT_FALSE(share_a_byte(plan, "read", "unread"));
}

TEST(BugCorpus, C3_AResultThatNobodyReadsLivesTheStepThatWritesIt) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("x", kBlock);
    g.node("Dropout", {"x"}, {"a", "dead"});
    g.node("Abs", {"a"}, {"b"});
    g.output("b");
  });
  EXPECT_EQ(life(plan, "dead"), (LiveRange{0, 1}));
  EXPECT_FALSE(share_a_byte(plan, "a", "dead"));
}

TEST(BugCorpus, C5_WhatLivesAcrossABodyStaysOffAllOfIt) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    g.input("in", kBlock);
    g.node("Relu", {"in"}, {"x"});
    const auto body = [](const std::string& tag) {
      return [=](GraphWriter& b) {
        b.node("Concat", {"in", "in"}, {"g1" + tag}, {{"axis", {0}}});
        b.node("ReduceMax", {"g1" + tag}, {"g2" + tag});
        b.output("g2" + tag);
      };
    };
    branches(g, "c", "y", body("t"), body("e"));
    g.node("Add", {"x", "y"}, {"o"});
    g.output("o");
  });
  for (const char* other : {"g1t", "g2t", "g1e", "g2e"})
    EXPECT_FALSE(share_a_byte(plan, "x", other));
}

TEST(BugCorpus, H4_TwoWritersOfOneNameAreRefusedByName) {
  const auto said = refusal([](GraphWriter& g) {
    g.input("in", kBlock);
    g.node("Relu", {"in"}, {"x"}).set_name("n0");
    g.node("Abs", {"x"}, {"x"}).set_name("n1");
    g.output("x");
  });
  EXPECT_EQ(said,
            "case: node 1 (Abs 'n1'): writes 'x', which node 0 (Relu 'n0') writes too (give each "
            "value a name of its own)");
}

TEST(BugCorpus, H5_ATensorListedTwiceAmongTheResultsCountsOnce) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("x", kBlock);
    g.node("Relu", {"x"}, {"y"});
    g.node("Abs", {"x"}, {"z"});
    for (const char* name : {"y", "y", "z"}) g.output(name);
  });
  EXPECT_EQ(plan.buffers.size(), 3u);
  EXPECT_EQ(arena_bytes(plan), 768u);
}

TEST(BugCorpus, H6_AResultThatIsReadTooLivesToTheEnd) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("x", kBlock);
    g.node("Relu", {"x"}, {"y"});
    g.node("Abs", {"y"}, {"z"});
    g.node("Neg", {"z"}, {"w"});
    g.output("y");
    g.output("w");
  });
  EXPECT_EQ(life(plan, "y"), (LiveRange{0, 3}));
}

TEST(BugCorpus, H8_WeightsAndAbsentOperandsAreNoArenaTensors) {
  const Plan plan = planned([](GraphWriter& g) {
    g.input("x", kBlock);
    g.weight("w", {1024});
    g.ints("low", {0});
    g.node("Clip", {"x", "", "low"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(arena_bytes(plan), 512u);
}

TEST(BugCorpus, J1_ResultsFedBackAsInputsAreHeldApart) {
  PlanOptions options;
  options.states = {{"h", "h2"}};
  const Plan plan = planned(
      [](GraphWriter& g) {
        g.input("h", kBlock);
        g.node("Relu", {"h"}, {"h2"});
        g.node("Concat", {"h2", "h2"}, {"t"}, {{"axis", {0}}});
        g.node("ReduceMax", {"t"}, {"m"});
        g.node("Add", {"m", "ones"}, {"o"});
        g.weight("ones", {64});
        g.output("h2");
        g.output("o");
      },
      options);
  EXPECT_FALSE(is_planned(plan, "h"));
  EXPECT_FALSE(is_planned(plan, "h2"));
  EXPECT_EQ(arena_bytes(plan), 576u);  // t and m (one element, 64 with padding)
}

TEST(BugCorpus, K1_AHeldTensorIsNotInTheArena) {
  PlanOptions options;
  options.hold = {"g"};
  const Plan plan = planned(
      [](GraphWriter& w) {
        w.input("x", kBlock);
        w.node("Relu", {"x"}, {"g"});
        w.node("Abs", {"g"}, {"t"});
        w.node("Neg", {"t"}, {"o"});
        w.output("o");
      },
      options);
  EXPECT_FALSE(is_planned(plan, "g"));
  EXPECT_EQ(arena_bytes(plan), 512u);
}

TEST(BugCorpus, K2_AHeldViewHoldsWhatIsUnderIt) {
  PlanOptions options;
  options.views = true;
  options.hold = {"v"};
  const Plan plan = planned(
      [](GraphWriter& w) {
        w.input("x", kBlock);
        w.node("Relu", {"x"}, {"a"});
        w.ints("shape", {8, 8});
        w.node("Reshape", {"a", "shape"}, {"v"});
        w.node("Abs", {"a"}, {"b"});
        w.node("Neg", {"b"}, {"c"});
        w.output("c");
      },
      options);
  for (const char* held : {"a", "v"}) EXPECT_FALSE(is_planned(plan, held)) << held;
  EXPECT_EQ(arena_bytes(plan), 512u);
}

// The result is the caller's: it is in no arena that the next run writes to.
TEST(BugCorpus, K3_K5_AResultThatTheCallerKeepsIsHeldByNaming) {
  PlanOptions options;
  options.hold = {"o"};
  const Plan plan = planned(
      [](GraphWriter& w) {
        w.input("x", kBlock);
        w.node("Relu", {"x"}, {"s"});
        w.node("Abs", {"s"}, {"o"});
        w.output("o");
      },
      options);
  EXPECT_FALSE(is_planned(plan, "o"));
  EXPECT_EQ(plan.kept.at(0).why, KeptWhy::Held);
  EXPECT_EQ(arena_bytes(plan), 512u);  // x and s
}

// A size that only the run decides.
void open_size(GraphWriter& g) {
  g.input("x", {64});
  g.node("NonZero", {"x"}, {"places"});
  g.node("Abs", {"x"}, {"y"});
  g.output("places", {1, "N"}, kInt64);
  g.output("y");
}

TEST(BugCorpus, R1_ASizeWithoutAnUpperBoundIsLeftOutByName) {
  const Plan plan = planned(open_size);
  EXPECT_FALSE(is_planned(plan, "places"));
  EXPECT_EQ(plan.kept.at(0).why, KeptWhy::Dynamic);
  EXPECT_EQ(plan.kept.at(0).name, "places");
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.input("x", {"N", 64});
              g.node("Abs", {"x"}, {"y"});
              g.output("y");
            }),
            "case: leaves a size open: N (add --bind N=N)");
}

TEST(BugCorpus, R2_OnlyAUsersBoundIsABound) {
  PlanOptions options;
  options.bindings.symbols = {{"N", {0, 64}}};
  const Plan plan = planned(open_size, options);
  EXPECT_EQ(test::buffer_named(plan, "places").bytes, Bytes(512));
}

TEST(BugCorpus, R3_APlanForOtherSizesIsRefusedWithTheFirstDifference) {
  const std::string model = onnx_bytes([](GraphWriter& g) {
    g.input("x", {"N", 64});
    g.node("Abs", {"x"}, {"y"});
    g.output("y");
  });
  PlanOptions one;
  one.bindings.symbols = {{"N", {1, 1}}};
  PlanOptions two;
  two.bindings.symbols = {{"N", {2, 2}}};
  const InputFile plan = {"plan.json", write_plan(test::planned(model, one))};
  const auto same = check_file(plan, InputFile{"m.onnx", model}, one);
  ASSERT_TRUE(same) << to_string(same.error());
  EXPECT_FALSE(same->mismatch);
  const auto other = check_file(plan, InputFile{"m.onnx", model}, two);
  ASSERT_TRUE(other) << to_string(other.error());
  EXPECT_EQ(other->mismatch, "buffer x has 512 bytes in the input, 256 in the plan");
}

// A start before the first element is that element, backwards too; of no elements there is none.
TEST(Regress, ASliceBackwardsFromBeforeTheFirstElementHasThatElement) {
  const auto sliced = [](int length) {
    return planned([&](GraphWriter& g) {
      g.input("x", {length});
      g.ints("begin", {-6});
      g.ints("end", {-4});
      g.ints("axis", {0});
      g.ints("step", {-3});
      g.node("Slice", {"x", "begin", "end", "axis", "step"}, {"y"});
      g.output("y");
    });
  };
  EXPECT_EQ(test::buffer_named(sliced(1), "y").bytes, Bytes(4));
  EXPECT_EQ(sliced(0).kept.back().why, KeptWhy::Empty);
}

}  // namespace
}  // namespace berth
