#include <gtest/gtest.h>

#include <string>

#include "berth/model/rule.h"
#include "tests/model/models.h"
#include "tests/model/rule_cases.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

TEST(ElementwiseRules, OperandsAreStretchedToOneShape) {
  EXPECT_EQ(y("Relu", {{2, 3}}), "float32[2, 3]");
  EXPECT_EQ(y("Add", {{2, 1, 4}, {3, 1}}), "float32[2, 3, 4]");
  EXPECT_EQ(y("Less", {{2}, {}}), "bool[2]");
  EXPECT_EQ(y("Mul", {{2}, {3}}),
            "m.onnx: Mul: its operands of shape [2] and [3] cannot be stretched to one shape");
}

TEST(ElementwiseRules, CastHasTheTypeThatItIsTold) {
  EXPECT_EQ(y("Cast", {{2}}, {{"to", {10}}}), "float16[2]");
}

TEST(ReductionRules, AxesAreDroppedOrKeptAsOne) {
  EXPECT_EQ(y("ReduceMean", {{2, 3, 4}}, {{"axes", {1}}, {"keepdims", {0}}}, 11), "float32[2, 4]");
  EXPECT_EQ(y("ReduceMean", {{2, 3, 4}}, {{"axes", {-1}}}, 11), "float32[2, 3, 1]");
  EXPECT_EQ(y("ReduceMax", {{2, 3}}), "float32[1, 1]");
  EXPECT_EQ(y_told("ReduceSum", {2, 3}, {{0}}, {{"keepdims", {0}}}), "float32[3]");
  EXPECT_EQ(y("ArgMax", {{2, 3}}, {{"axis", {1}}, {"keepdims", {0}}}), "int64[2]");
  EXPECT_EQ(y("ReduceMax", {{2}}, {{"axes", {5}}}, 11),
            "m.onnx: ReduceMax: its operand of shape [2] has no axis 5");
}

TEST(WindowRules, PlacesAreThoseOfThePaddedOperand) {
  EXPECT_EQ(
      y("Conv", {{1, 3, 224, 224}, {64, 3, 7, 7}}, {{"strides", {2, 2}}, {"pads", {3, 3, 3, 3}}}),
      "float32[1, 64, 112, 112]");
  EXPECT_EQ(y("Conv", {{1, 4, 10, 10}, {4, 1, 3, 3}}, {{"group", {4}}, {"dilations", {2, 2}}}),
            "float32[1, 4, 6, 6]");
  EXPECT_EQ(y("MaxPool", {{1, 8, 7, 7}}, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}}),
            "float32[1, 8, 3, 3]");
  EXPECT_EQ(y("MaxPool", {{1, 8, 7, 7}},
              {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}, {"ceil_mode", {1}}}),
            "float32[1, 8, 4, 4]");
  EXPECT_EQ(y("GlobalAveragePool", {{1, 8, 7, 7}}), "float32[1, 8, 1, 1]");
  EXPECT_EQ(y("ConvTranspose", {{1, 3, 4, 4}, {3, 2, 3, 3}}, {{"strides", {2, 2}}}),
            "float32[1, 2, 9, 9]");
  EXPECT_EQ(y("Conv", {{1, 3, 4, 4}, {8, 3, 7, 7}}),
            "m.onnx: Conv: its window is larger than its operand of shape [1, 3, 4, 4] along axis "
            "2");
  EXPECT_EQ(
      y("Conv", {{1, 3, 4, 4}, {8, 2, 3, 3}}),
      "m.onnx: Conv: its weights of shape [8, 2, 3, 3] in 1 groups do not go with 3 channels");
}

TEST(MatrixRules, OuterAxesAreStretchedAndInnerOnesMustMeet) {
  EXPECT_EQ(y("MatMul", {{5, 1, 2, 3}, {4, 3, 6}}), "float32[5, 4, 2, 6]");
  EXPECT_EQ(y("MatMul", {{3}, {3, 6}}), "float32[6]");
  EXPECT_EQ(y("MatMul", {{2, 3}, {3}}), "float32[2]");
  EXPECT_EQ(y("Gemm", {{3, 2}, {5, 3}}, {{"transA", {1}}, {"transB", {1}}}), "float32[2, 5]");
  EXPECT_EQ(y("MatMul", {{2, 3}, {4, 5}}),
            "m.onnx: MatMul: its operands of shape [2, 3] and [4, 5] are no matrices to multiply");
}

TEST(MatrixRules, EinsumFollowsItsLetters) {
  const auto einsum = [](const std::string& equation) {
    return y([&](GraphWriter& g) {
      g.input("a", {2, 3, 4});
      g.input("b", {2, 4, 5});
      auto& attribute = *g.node("Einsum", {"a", "b"}, {"y"}).add_attribute();
      attribute.set_name("equation");
      attribute.set_s(equation);
      g.output("y");
    });
  };
  EXPECT_EQ(einsum("bij,bjk->bik"), "float32[2, 3, 5]");
  EXPECT_EQ(einsum("...ij,...jk->...ki"), "float32[2, 5, 3]");
  EXPECT_EQ(einsum("bij,bjk"), "float32[3, 5]");
}

TEST(LayoutRules, ReshapeFillsWhatIsLeftOpen) {
  EXPECT_EQ(y_told("Reshape", {2, 3, 4}, {{0, -1}}), "float32[2, 12]");
  EXPECT_EQ(y_told("Reshape", {2, 3, 4}, {{4, 6}}), "float32[4, 6]");
  EXPECT_EQ(y_told("Reshape", {2, 3}, {{4, -1}}),
            "m.onnx: Reshape: 6 elements of shape [2, 3] cannot be laid out as [4, ?]");
  EXPECT_EQ(y_told("Reshape", {2, 3}, {{4, 2}}),
            "m.onnx: Reshape: [2, 3] cannot be laid out as [4, 2]");
}

TEST(LayoutRules, AxesComeAndGoByAttributeAndByOperand) {
  EXPECT_EQ(y("Squeeze", {{1, 2, 1}}, {{"axes", {0}}}, 11), "float32[2, 1]");
  EXPECT_EQ(y("Squeeze", {{1, 2, 1}}), "float32[2]");
  EXPECT_EQ(y_told("Unsqueeze", {2, 3}, {{0, -1}}), "float32[1, 2, 3, 1]");
  EXPECT_EQ(y("Flatten", {{2, 3, 4}}, {{"axis", {2}}}), "float32[6, 4]");
  EXPECT_EQ(y("Transpose", {{2, 3, 4}}), "float32[4, 3, 2]");
  EXPECT_EQ(y("Transpose", {{2, 3, 4}}, {{"perm", {1, 0, 2}}}), "float32[3, 2, 4]");
  EXPECT_EQ(y_told("Expand", {3, 1}, {{2, 1, 4}}), "float32[2, 3, 4]");
  EXPECT_EQ(y("DepthToSpace", {{1, 8, 2, 3}}, {{"blocksize", {2}}}), "float32[1, 2, 4, 6]");
}

TEST(PartRules, CutsAndJoins) {
  EXPECT_EQ(y("Concat", {{2, 3}, {2, 5}}, {{"axis", {1}}}), "float32[2, 8]");
  EXPECT_EQ(y_told("Slice", {10, 4}, {{1}, {9}, {0}, {3}}), "float32[3, 4]");
  EXPECT_EQ(y_told("Slice", {10}, {{-1}, {-9223372036854775807 - 1}, {0}, {-1}}), "float32[10]");
  EXPECT_EQ(y_told("Slice", {10}, {{8}, {9223372036854775807}}), "float32[2]");
  EXPECT_EQ(y_told("Slice", {10}, {{20}, {30}}), "float32[0]");
  EXPECT_EQ(y_told("Slice", {10}, {{-20}, {-30}, {0}, {-1}}), "float32[1]");
  EXPECT_EQ(y_told("Pad", {2, 3}, {{0, 1, 2, 3}}), "float32[4, 7]");
  EXPECT_EQ(y_told("Tile", {2, 3}, {{2, 1}}), "float32[4, 3]");
  EXPECT_EQ(y("Concat", {{2, 3}, {3, 5}}, {{"axis", {1}}}),
            "m.onnx: Concat: its operands of shape [2, 3] and [3, 5] differ along axis 0");
}

TEST(PartRules, SplitGivesEachResultItsPart) {
  const auto parts = [](std::int64_t length, std::int64_t opset) {
    return y(
        [&](GraphWriter& g) {
          g.input("x", {static_cast<int>(length)});
          g.node("Split", {"x"}, {"a", "b", "y"});
          g.output("y");
        },
        opset);
  };
  EXPECT_EQ(parts(6, 13), "float32[2]");
  EXPECT_EQ(parts(8, 18), "float32[2]");
  EXPECT_EQ(parts(8, 13), "m.onnx: Split: 8 cannot be cut into 3 equal parts");
}

TEST(GatherRules, IndicesTakeThePlaceOfTheAxis) {
  EXPECT_EQ(y("Gather", {{5, 6, 7}, {2, 3}}, {{"axis", {1}}}), "float32[5, 2, 3, 7]");
  EXPECT_EQ(y("GatherND", {{2, 3, 4}, {5, 2}}), "float32[5, 4]");
  EXPECT_EQ(y("GatherND", {{2, 3, 4}, {2, 1}}, {{"batch_dims", {1}}}), "float32[2, 4]");
  EXPECT_EQ(y("GatherElements", {{5, 6}, {2, 6}}), "float32[2, 6]");
  EXPECT_EQ(y("ScatterND", {{5, 6}, {2, 1}, {2, 6}}), "float32[5, 6]");
}

TEST(MakerRules, TheShapeIsWhatTheyAreTold) {
  const auto range = [](std::int64_t from, std::int64_t to, std::int64_t by) {
    return y([&](GraphWriter& g) {
      g.scalar("from", from);
      g.scalar("to", to);
      g.scalar("by", by);
      g.node("Range", {"from", "to", "by"}, {"y"});
      g.output("y");
    });
  };
  EXPECT_EQ(range(2, 10, 3), "int64[3]");
  EXPECT_EQ(range(10, 2, -3), "int64[3]");
  EXPECT_EQ(range(2, 10, -3), "int64[0]");
  EXPECT_EQ(range(INT64_MIN, INT64_MAX, 1),
            "int64[?]");  // past what a dimension can be
  EXPECT_EQ(y([](GraphWriter& g) {
              g.ints("shape", {2, 3});
              g.node("ConstantOfShape", {"shape"}, {"y"});
              g.output("y");
            }),
            "float32[2, 3]");
}

TEST(MakerRules, AnImageIsScaledAsItsOperandsSay) {
  const auto resized = [](bool by_sizes) {
    return y([&](GraphWriter& g) {
      g.input("x", {1, 3, 5, 5});
      if (by_sizes) {
        g.ints("sizes", {1, 3, 8, 9});
        g.node("Resize", {"x", "", "", "sizes"}, {"y"});
      } else {
        auto& scales = g.weight("scales", {4});
        for (const float scale : {1.0F, 1.0F, 1.5F, 2.0F}) scales.add_float_data(scale);
        g.node("Resize", {"x", "", "scales"}, {"y"});
      }
      g.output("y");
    });
  };
  EXPECT_EQ(resized(true), "float32[1, 3, 8, 9]");
  EXPECT_EQ(resized(false), "float32[1, 3, 7, 10]");
}

TEST(RecurrentRules, StepsDirectionsBatchAndHidden) {
  EXPECT_EQ(y("LSTM", {{7, 2, 5}, {1, 12, 5}, {1, 12, 3}}, {{"hidden_size", {3}}}),
            "float32[7, 1, 2, 3]");
  EXPECT_EQ(y("GRU", {{7, 2, 5}, {1, 9, 5}, {1, 9, 3}}, {{"layout", {1}}}), "float32[7, 2, 1, 3]");
}

TEST(FusedRules, ThePresentIsThePastAndWhatIsNew) {
  EXPECT_EQ(y([](GraphWriter& g) {
              g.input("x", {1, 4, 32});
              g.weight("w", {32, 96});
              g.weight("b", {96});
              g.input("past", {2, 1, 4, 10, 8});
              g.node("Attention", {"x", "w", "b", "", "past"}, {"o", "y"}, {{"num_heads", {4}}})
                  .set_domain("com.microsoft");
              g.output("y");
            }),
            "float32[2, 1, 4, 14, 8]");
}

TEST(Rules, ValuesAreFollowedFromAShapeToAReshape) {
  EXPECT_EQ(y([](GraphWriter& g) {
              g.input("x", {2, 3, 4, 5});
              g.scalar("one", 1);
              g.ints("two", {2});
              g.ints("zero", {0});
              g.node("Shape", {"x"}, {"s"});
              g.node("Gather", {"s", "one"}, {"channels"});     // 3
              g.node("Mul", {"channels", "two"}, {"twice"});    // [6]
              g.node("Slice", {"s", "zero", "two"}, {"head"});  // [2, 3]
              g.node("ReduceProd", {"head"}, {"six"}, {{"keepdims", {1}}});
              g.node("Equal", {"six", "twice"}, {"same"});  // [true]
              g.ints("rest", {-1});
              g.node("Where", {"same", "twice", "rest"}, {"chosen"});  // [6]
              g.node("Cast", {"chosen"}, {"real"}, {{"to", {1}}});
              g.node("Sqrt", {"real"}, {"root"});
              g.node("Floor", {"root"}, {"floor"});
              g.node("Cast", {"floor"}, {"back"}, {{"to", {7}}});  // [2]
              g.node("Concat", {"chosen", "back", "rest"}, {"target"}, {{"axis", {0}}});
              g.node("Reshape", {"x", "target"}, {"y"});
              g.output("y");
            }),
            "float32[6, 2, 10]");
}

}  // namespace
}  // namespace berth
