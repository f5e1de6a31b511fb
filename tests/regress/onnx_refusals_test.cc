// ONNX models that were refused though they run, and taken though they cannot.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/regress/onnx_sizes.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

TEST(OnnxRefusals, AWindowThatLacksLessThanAStrideIsOneWhereItIsRoundedUp) {
  for (const char* op : {"MaxPool", "AveragePool", "LpPool"}) {
    const auto pooled = [&](std::int64_t ceil) {
      return [=](GraphWriter& g) {
        g.input("x", {1, 1, 2, 2});
        g.node(op, {"x"}, {"y"},
               {{"kernel_shape", {3, 3}}, {"strides", {2, 2}}, {"ceil_mode", {ceil}}});
        g.output("y");
      };
    };
    EXPECT_EQ(size_of(pooled(1), "y", 18), "4") << op;
    EXPECT_NE(refusal(pooled(0), {}, 18).find("window is larger"), std::string::npos) << op;
  }
}

TEST(OnnxRefusals, AxesOfABatchAreTurnedToo) {
  const auto product = [](const TestDims& a, const TestDims& b,
                          const std::vector<std::pair<std::string, Ints>>& attributes) {
    return size_of([&](GraphWriter& g) {
      g.input("a", a);
      g.input("b", b);
      g.node("FusedMatMul", {"a", "b"}, {"y"}, attributes).set_domain("com.microsoft");
      g.output("y");
    });
  };
  EXPECT_EQ(product({5, 2, 3, 4}, {2, 3, 4, 6}, {{"transBatchA", {1}}}), "720");  // [2, 3, 5, 6]
  EXPECT_EQ(product({4, 2, 3, 5}, {2, 3, 4, 6}, {{"transBatchA", {1}}, {"transA", {1}}}), "720");
  EXPECT_EQ(product({2, 3, 5, 4}, {4, 2, 3, 6}, {{"transBatchB", {1}}}), "720");
}

TEST(OnnxRefusals, BorrowedKeysAreThePast) {
  EXPECT_EQ(size_of(
                [](GraphWriter& g) {
                  g.input("q", {1, 8, 64});
                  g.input("k", {1, 0, 32});
                  g.input("v", {1, 0, 32});
                  g.input("pk", {1, 2, 8, 16});
                  g.input("pv", {1, 2, 8, 16});
                  g.node("GroupQueryAttention", {"q", "k", "v", "pk", "pv"}, {"o", "y", "v2"},
                         {{"num_heads", {4}}, {"kv_num_heads", {2}}})
                      .set_domain("com.microsoft");
                  g.output("o");
                },
                "y"),
            "1024");
}

TEST(OnnxRefusals, ASymbolOfAnInputThatAResultDoesNotKeepIsNoted) {
  const auto sloppy = model(
      [](GraphWriter& g) {
        g.input("x", {"n"});
        g.node("Concat", {"x", "x"}, {"y"}, {{"axis", {0}}});
        g.output("y", {"n"});
      },
      bound("n", {7, 7}));
  EXPECT_EQ(size_in(sloppy, "y"), "56");
  EXPECT_EQ(sloppy.notes, (std::vector<std::string>{"the model says shape [7] of 'y', but Concat "
                                                    "gives [14], which is planned"}));
}

TEST(OnnxRefusals, ScansThatCannotRunAreRefused) {
  const auto scan = [](const std::vector<std::pair<std::string, Ints>>& attributes) {
    return refusal([&](GraphWriter& g) {
      g.input("s0", {4});
      g.input("x", {6, 4});
      auto& node = g.node("Scan", {"s0", "x"}, {"y"}, attributes);
      add_body(node, "body", [](GraphWriter& b) {
        b.input("s", {4});
        b.input("e", {4});
        b.node("Add", {"s", "e"}, {"s2"});
        b.output("s2");
      });
      g.output("y");
    });
  };
  EXPECT_EQ(scan({{"num_scan_inputs", {9}}}),
            "m.onnx: Scan: its num_scan_inputs is 9, of 2 operands");
  EXPECT_EQ(scan({{"num_scan_inputs", {0}}}),
            "m.onnx: Scan: its num_scan_inputs is 0, of 2 operands");
  EXPECT_EQ(scan({}), "m.onnx: Scan: it has no num_scan_inputs");
  EXPECT_EQ(scan({{"num_scan_inputs", {1}}, {"scan_input_axes", {0, 1}}}),
            "m.onnx: Scan: its scan_input_axes has 2 numbers for 1 operands that it scans");
}

TEST(OnnxRefusals, NodesThatCannotRunAreRefused) {
  const auto refused = [](const std::string& op, const std::vector<TestDims>& operands,
                          const std::vector<std::pair<std::string, Ints>>& attributes,
                          const Ints& list = {}, std::int64_t opset = 18) {
    return refusal(
        [&](GraphWriter& g) {
          Names names;
          for (const TestDims& dims : operands) {
            names.push_back("x" + std::to_string(names.size()));
            g.input(names.back(), dims);
          }
          if (!list.empty()) {
            names.emplace_back("list");
            g.ints("list", list);
          }
          g.node(op, names, {"y"}, attributes);
          g.output("y");
        },
        {}, opset);
  };
  EXPECT_EQ(
      refused("ConvTranspose", {{1, 2, 4, 4}, {2, 3, 3, 3}}, {{"output_shape", {1, 3, 6, 6}}}),
      "m.onnx: ConvTranspose: its output_shape has 4 numbers for 2 axes (without batch and "
      "channels)");
  EXPECT_EQ(refused("TopK", {{4}}, {}, {5}), "m.onnx: TopK: it takes 5 of axis 0 of shape [4]");
  EXPECT_EQ(refused("Split", {{4}}, {{"num_outputs", {2}}}),
            "m.onnx: Split: it is told 2 parts, and has 1 results");
}

}  // namespace
}  // namespace berth
