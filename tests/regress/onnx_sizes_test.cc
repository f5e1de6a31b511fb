// Sizes of ONNX models that were planned too small, or left open though the file decides them.
#include "tests/regress/onnx_sizes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

// --- Carried values and branches ---

WriteGraph growing(const TestDims& said_inside, const TestDims& said_outside) {
  return [=](GraphWriter& g) {
    g.input("x", {1, 4});
    g.input("s0", {1, 4});
    g.scalar("turns", 5);
    auto& node = g.node("Loop", {"turns", "", "s0"}, {"y"});
    add_body(node, "body", [=](GraphWriter& b) {
      b.input("i", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("s", said_inside);
      b.node("Identity", {"go"}, {"go_on"});
      b.node("Relu", {"s"}, {"inner"});
      b.value("inner", {1, 4});
      b.node("Concat", {"inner", "x"}, {"s2"}, {{"axis", {0}}});
      b.output("go_on", {}, kBoolean);
      b.output("s2", {2, 4});
    });
    g.node("Relu", {"y"}, {"z"});
    g.value("y", said_outside);
    g.output("z", {1, 4});
  };
}

TEST(OnnxSizes, ACarriedValueThatGrowsIsNotOfTheShapeThatTheBodySays) {
  const auto grows = model(growing({1, 4}, {1, 4}));
  for (const char* name : {"s", "inner", "s2", "y", "z"}) {
    EXPECT_EQ(size_in(grows, name), "dynamic") << name;
  }
  EXPECT_EQ(grows.notes.front(),
            "the model says shape [1, 4] of 's', but a later turn of Loop gives [?, 4], where ? is "
            "more than one size (and 4 more such)");
}

TEST(OnnxSizes, WhatDependsOnTheNumberOfTheTurnIsNotOfTheShapeThatTheBodySays) {
  const auto counted = model([](GraphWriter& g) {
    g.scalar("turns", 3);
    g.input("s0", {4});
    auto& node = g.node("Loop", {"turns", "", "s0"}, {"y"});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("i", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("s", {4});
      b.node("Identity", {"go"}, {"go_on"});
      b.scalar("from", 0);
      b.scalar("by", 1);
      b.node("Range", {"from", "i", "by"}, {"counted"});
      b.value("counted", {1}, kInt64);
      b.node("Relu", {"s"}, {"s2"});
      b.output("go_on", {}, kBoolean);
      b.output("s2", {4});
    });
    g.output("y", {4});
  });
  EXPECT_EQ(size_in(counted, "counted"), "dynamic");
  EXPECT_EQ(size_in(counted, "y"), "16");
}

WriteGraph branches(const TestDims& said) {
  return [=](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    g.input("x", {2, 3});
    auto& node = g.node("If", {"c"}, {"y"});
    add_body(node, "then_branch", [](GraphWriter& b) {
      b.node("Relu", {"x"}, {"a"});
      b.output("a");
    });
    add_body(node, "else_branch", [](GraphWriter& b) {
      b.node("Concat", {"x", "x"}, {"b"}, {{"axis", {0}}});
      b.output("b");
    });
    g.value("y", said);
    g.node("Exp", {"y"}, {"z"});
    g.value("z", {2, 3});
    g.node("Relu", {"z"}, {"w"});
    g.output("w");
  };
}

TEST(OnnxSizes, BranchesThatDifferLeaveTheResultOpenWhateverTheFileSays) {
  const auto open = model(branches({2, 3}));
  for (const char* name : {"y", "z", "w"}) EXPECT_EQ(size_in(open, name), "dynamic") << name;
  EXPECT_EQ(size_in(open, "b"), "48");
}

TEST(OnnxSizes, AResultMayNotBeGivenASmallerShapeThanABranchHas) {
  const auto shaped = [](std::vector<std::uint64_t> dims) {
    return ModelOptions{.bindings = {.symbols = {}, .shapes = {{"y", {std::move(dims), {}}}}}};
  };
  EXPECT_EQ(refusal(branches({2, 3}), shaped({2, 3})),
            "m.onnx: If: --shape gives its result 'y' 24 bytes, but its else_branch gives 48 (give "
            "it the largest shape that it can have)");
  EXPECT_EQ(size_in(model(branches({2, 3}), shaped({4, 3})), "z"), "48");
}

// --- Types ---

TEST(OnnxSizes, TheOperatorsTypeBeatsTheFiles) {
  const auto typed = model([](GraphWriter& g) {
    g.input("x", {100}, kFloat64);
    g.node("Relu", {"x"}, {"y"});
    g.output("y", {100}, kFloat32);
  });
  EXPECT_EQ(size_in(typed, "y"), "800");
  EXPECT_EQ(typed.notes, (std::vector<std::string>{
                             "the model says type float32 of 'y', but Relu gives float64, which is "
                             "planned"}));
}

TEST(OnnxSizes, AttributesSayTheTypeOfTheResult) {
  const auto one = [](const std::string& op, const Names& operands,
                      const std::vector<std::pair<std::string, Ints>>& attributes) {
    return [=](GraphWriter& g) {
      g.input("x", {100});
      g.input("u", {100}, kUint8);
      g.input("m", {10, 10});
      g.weight("s", {}, kFloat16);
      g.node(op, operands, {"y"}, attributes);
      g.output("y");
    };
  };
  EXPECT_EQ(size_of(one("Bernoulli", {"x"}, {{"dtype", {kFloat64}}}), "y", 15), "800");
  EXPECT_EQ(size_of(one("Bernoulli", {"x"}, {}), "y", 15), "400");
  EXPECT_EQ(size_of(one("DequantizeLinear", {"u", "s"}, {{"output_dtype", {1}}}), "y", 23), "400");
  EXPECT_EQ(size_of(one("DequantizeLinear", {"u", "s"}, {}), "y", 23), "200");
  EXPECT_EQ(size_of(one("QuantizeLinear", {"x", "s"}, {{"output_dtype", {5}}}), "y", 21), "200");
  EXPECT_EQ(size_of(one("EyeLike", {"m"}, {{"dtype", {kFloat64}}})), "800");
  EXPECT_EQ(size_of(one("RandomNormalLike", {"x"}, {{"dtype", {kFloat64}}})), "800");
  EXPECT_EQ(size_of(one("Multinomial", {"m"}, {{"dtype", {kInt64}}, {"sample_size", {3}}})), "240");
  const auto by_name = [](GraphWriter& g) {
    g.input("x", {100});
    named(g.node("Cast", {"x"}, {"y"}), "to", "DOUBLE");
    g.output("y");
  };
  EXPECT_EQ(size_of(by_name, "y", 5), "800");
}

// --- What the file decides ---

// y is as long as the one element of `n`, which `write` gives.
std::string length_of(const WriteGraph& write, std::int64_t opset = 17) {
  return size_of(
      [&](GraphWriter& g) {
        g.input("x", {1});
        g.ints("one", {1});
        write(g);
        g.node("Cast", {"n"}, {"whole"}, {{"to", {kInt64}}});
        g.node("Reshape", {"whole", "one"}, {"shape"});
        g.node("Expand", {"x", "shape"}, {"y"});
        g.output("y");
      },
      "y", opset);
}

std::string of_ints(const std::string& op, const Ints& a, const Ints& b,
                    const std::vector<std::pair<std::string, Ints>>& attributes = {}) {
  return length_of([&](GraphWriter& g) {
    g.ints("a", a);
    g.ints("b", b);
    g.node(op, {"a", "b"}, {"n"}, attributes);
  });
}

std::string of_reals(const std::string& op, float a) {
  return length_of([&](GraphWriter& g) {
    reals(g, "a", {1}, {a});
    g.node(op, {"a"}, {"n"});
  });
}

TEST(OnnxSizes, ArithmeticOnShapesIsFollowed) {
  EXPECT_EQ(of_ints("Pow", {3}, {2}), "36");
  EXPECT_EQ(of_ints("Mod", {-7}, {4}), "4");                    // 1
  EXPECT_EQ(of_ints("Mod", {7}, {-4}, {{"fmod", {1}}}), "12");  // 3
  EXPECT_EQ(of_ints("BitwiseAnd", {13}, {6}), "16");
  EXPECT_EQ(of_reals("Exp", 2), "28");   // 7.39
  EXPECT_EQ(of_reals("Log", 55), "16");  // 4.007
  EXPECT_EQ(of_reals("Sign", 7), "4");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              g.ints("a", {9});
              g.scalar("low", 1);
              g.scalar("high", 5);
              g.node("Clip", {"a", "low", "high"}, {"n"});
            }),
            "20");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              reals(g, "base", {1}, {2.5F});
              g.ints("exponent", {2});
              g.node("Pow", {"base", "exponent"}, {"n"});  // 6.25
            }),
            "24");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              // 7 / 3 + 2 in halves; 0x4700 and 0x4200 are 7 and 3.
              for (const auto& [name, bits] : {std::pair("a", 0x4700), std::pair("b", 0x4200)}) {
                g.weight(name, {1}, kFloat16).add_int32_data(bits);
              }
              g.node("Div", {"a", "b"}, {"ratio"});
              g.weight("two", {1}, kFloat16).add_int32_data(0x4000);
              g.node("Add", {"ratio", "two"}, {"n"});
            }),
            "16");
}

TEST(OnnxSizes, WhatFoldsAShapeIsFollowed) {
  const auto folded = [](const std::string& op) {
    return length_of(
        [&](GraphWriter& g) {
          reals(g, "a", {3}, {2, 4, 9});
          g.node(op, {"a"}, {"n"});
        },
        13);
  };
  EXPECT_EQ(folded("ReduceMean"), "20");
  EXPECT_EQ(folded("ReduceMax"), "36");
  EXPECT_EQ(folded("ReduceL2"), "40");  // 10.04
  EXPECT_EQ(folded("ReduceSumSquare"), "404");
  EXPECT_EQ(folded("ArgMax"), "8");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              g.ints("a", {2, 4, 9});
              g.scalar("axis", 0);
              g.scalar("at", 1);
              g.node("CumSum", {"a", "axis"}, {"sums"});
              g.node("Gather", {"sums", "at"}, {"n"});
            }),
            "24");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              g.ints("a", {2, 9, 4});
              g.ints("two", {2});
              g.scalar("at", 1);
              g.node("TopK", {"a", "two"}, {"most", ""});
              g.node("Gather", {"most", "at"}, {"n"});
            }),
            "16");
  EXPECT_EQ(length_of([](GraphWriter& g) {
              g.ints("a", {2, 9, 4});
              g.weight("places", {1, 1}, kInt64).add_int64_data(2);
              g.ints("new", {6});
              g.scalar("at", 2);
              g.node("ScatterND", {"a", "places", "new"}, {"put"});
              g.node("Gather", {"put", "at"}, {"n"});
            }),
            "24");
}

TEST(OnnxSizes, HowManyThereAreOfAConstantIsKnown) {
  const auto taken = model([](GraphWriter& g) {
    g.input("x", {6, 4});
    g.ints("flags", {1, 0, 0, 1, 1, 0});
    g.node("NonZero", {"flags"}, {"places"});
    g.node("Transpose", {"places"}, {"rows"});
    g.node("GatherND", {"x", "rows"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(size_in(taken, "y"), "48");
  EXPECT_EQ(size_of([](GraphWriter& g) {
              g.input("x", {6, 4});
              g.ints("flags", {1, 0, 0, 1, 1, 0});
              g.node("Cast", {"flags"}, {"set"}, {{"to", {kBoolean}}});
              g.node("Compress", {"x", "set"}, {"y"}, {{"axis", {0}}});
              g.output("y");
            }),
            "48");
}

TEST(OnnxSizes, ADepthMayBeReal) {
  EXPECT_EQ(size_of([](GraphWriter& g) {
              g.input("i", {3}, kInt64);
              reals(g, "depth", {}, {5});
              g.weight("values", {2});
              g.node("OneHot", {"i", "depth", "values"}, {"y"});
              g.output("y");
            }),
            "60");
}

TEST(OnnxSizes, AnImageKeepsItsProportions) {
  const auto resized = [](const std::string& policy, const Ints& sizes) {
    return size_of(
        [&](GraphWriter& g) {
          g.input("x", {1, 1, 2, 4});
          g.ints("sizes", sizes);
          auto& node = g.node("Resize", {"x", "", "", "sizes"}, {"y"}, {{"axes", {2, 3}}});
          named(node, "keep_aspect_ratio_policy", policy);
          g.output("y");
        },
        "y", 18);
  };
  EXPECT_EQ(resized("not_larger", {5, 8}), "128");   // [4, 8]
  EXPECT_EQ(resized("not_smaller", {5, 8}), "200");  // [5, 10]
  EXPECT_EQ(resized("stretch", {5, 8}), "160");
}

// --- Ranges ---

TEST(OnnxSizes, WhatIsWrittenInPlaceIsOfOneShapeOverTheWholeRange) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("x", {"N", 4});
    g.weight("w", {8, 4});
    g.node("Relu", {"x"}, {"a"});
    g.node("Add", {"a", "w"}, {"y"});
    g.node("Exp", {"y"}, {"z"});
    g.output("z");
  };
  // At N=1 the operand is a row that is stretched.
  const auto range = model(write, bound("N", {1, 8}, true));
  EXPECT_EQ(taken_over_by(range, "y"), "");
  EXPECT_EQ(taken_over_by(range, "z"), "y");
  EXPECT_EQ(taken_over_by(model(write, bound("N", {8, 8}, true)), "y"), "a");
}

TEST(OnnxSizes, ARangeTooLongToTryIsWrittenInPlaceOnlyWhereItHoldsForAnySize) {
  const auto range = model(
      [](GraphWriter& g) {
        g.input("x", {"N", 4});
        g.weight("row", {1, 4});
        g.node("Relu", {"x"}, {"a"});
        g.node("Add", {"a", "row"}, {"b"});
        g.node("Abs", {"x"}, {"c"});
        g.node("Mul", {"b", "c"}, {"d"});
        g.output("d");
      },
      bound("N", {1, 1'000'000'000}, true));
  EXPECT_EQ(taken_over_by(range, "b"), "a");
  EXPECT_EQ(taken_over_by(range, "d"), "");
  EXPECT_EQ(range.notes.back(),
            "the range has 1000000000 points; sizes were tried at 65 of them, both ends included, "
            "and only what holds at all of them may be written in place");
}

TEST(OnnxSizes, ASizeThatIsLargestBetweenTheEndsIsFound) {
  // N x (8 - N), 16 at most.
  const auto range = model(
      [](GraphWriter& g) {
        g.input("x", {"N"});
        g.input("one", {1});
        g.ints("eight", {8});
        g.node("Shape", {"x"}, {"n"});
        g.node("Sub", {"eight", "n"}, {"rest"});
        g.node("Mul", {"n", "rest"}, {"area"});
        g.node("Expand", {"one", "area"}, {"y"});
        g.output("y");
      },
      bound("N", {1, 7}));
  EXPECT_EQ(size_in(range, "y"), "64");
}

}  // namespace
}  // namespace berth
