// Attention in its kinds, and operators on quantized numbers.

#include <gtest/gtest.h>

#include <limits>

#include "tests/model/rule_cases.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

constexpr int kUint8 = 2;

// An operand: "" is left out.
struct Operand {
  TestDims dims;
  int type = kFloat32;
  bool given = true;
};
const Operand kNone = {{}, 0, false};
const Operand kScale = {{}, kFloat32};
const Operand kZero = {{}, kUint8};

Operand bytes(const TestDims& dims) {
  return {dims, kUint8};
}

std::string fused(const std::string& op, const std::vector<Operand>& operands, const Names& outputs,
                  const Attributes& attributes = {}, const std::string& domain = "com.microsoft",
                  std::int64_t opset = 17) {
  return y(
      [&](GraphWriter& g) {
        Names names;
        for (std::size_t i = 0; i < operands.size(); ++i) {
          names.push_back(operands[i].given ? "x" + std::to_string(i) : "");
          if (operands[i].given) g.input(names.back(), operands[i].dims, operands[i].type);
        }
        g.node(op, names, outputs, attributes).set_domain(domain);
        g.output("y");
      },
      opset);
}

const Attributes kHeads = {{"q_num_heads", {6}}, {"kv_num_heads", {2}}};

std::string attention(const Names& outputs, const std::vector<Operand>& operands) {
  return fused("Attention", operands, outputs, kHeads, "", 23);
}

TEST(AttentionRules, ThePresentIsThePastAndWhatIsNew) {
  const std::vector<Operand> flat = {{{1, 5, 24}}, {{1, 7, 8}},     {{1, 7, 6}},
                                     kNone,        {{1, 2, 10, 4}}, {{1, 2, 10, 3}}};
  EXPECT_EQ(attention({"y"}, flat), "float32[1, 5, 18]");
  EXPECT_EQ(attention({"", "y"}, flat), "float32[1, 2, 17, 4]");
  EXPECT_EQ(attention({"", "", "y"}, flat), "float32[1, 2, 17, 3]");
  EXPECT_EQ(attention({"", "", "", "y"}, flat), "float32[1, 6, 5, 17]");
  const std::vector<Operand> apart = {{{1, 6, 5, 4}}, {{1, 2, 7, 4}}, {{1, 2, 7, 3}}};
  EXPECT_EQ(attention({"y"}, apart), "float32[1, 6, 5, 3]");
  EXPECT_EQ(attention({"", "y"}, apart), "float32[1, 2, 7, 4]");
  EXPECT_EQ(attention({"y"}, {{{1, 5, 25}}, {{1, 7, 8}}, {{1, 7, 6}}}),
            "m.onnx: Attention: operand 0 of shape [1, 5, 25] does not part into 6 heads");
}

TEST(AttentionRules, AStateOfFixedSize) {
  const std::vector<Operand> rows = {{{2, 5, 24}}, {{2, 5, 8}}, {{2, 5, 6}}};
  EXPECT_EQ(fused("LinearAttention", rows, {"y", "s"}, kHeads, "", 27), "float32[2, 5, 18]");
  EXPECT_EQ(fused("LinearAttention", rows, {"o", "y"}, kHeads, "", 27), "float32[2, 2, 4, 3]");
  EXPECT_EQ(fused("LinearAttention", rows, {"o", "y"},
                  {{"q_num_heads", {6}}, {"kv_num_heads", {2}}, {"state_window", {4}}}),
            "float32[4, 2, 2, 4, 3]");
  const std::vector<Operand> conv = {{{2, 8, 5}}, {{8, 1, 4}}};
  EXPECT_EQ(fused("CausalConvWithState", conv, {"y", "s"}, {}, "", 27), "float32[2, 8, 5]");
  EXPECT_EQ(fused("CausalConvWithState", conv, {"o", "y"}, {}, "", 27), "float32[2, 8, 3]");
  EXPECT_EQ(fused("CausalConvWithState", conv, {"o", "y"}, {{"dilation", {2}}}),
            "float32[2, 8, 6]");
  EXPECT_EQ(fused("SwiGLU", {{{2, 8}}, {{2, 8}}}, {"y"}, {}, "", 28), "float32[2, 8]");
}

TEST(QuantizedRules, ScalesAndZeroPointsStandBetweenTheOperands) {
  EXPECT_EQ(
      fused("QLinearAdd",
            {bytes({2, 1, 4}), kScale, kZero, bytes({3, 1}), kScale, kZero, kScale, kZero}, {"y"}),
      "uint8[2, 3, 4]");
  EXPECT_EQ(
      fused(
          "QLinearWhere",
          {{{2, 1}, kBoolean}, bytes({3}), kScale, kZero, bytes({}), kScale, kZero, kScale, kZero},
          {"y"}),
      "uint8[2, 3]");
  EXPECT_EQ(fused("QLinearConcat",
                  {kScale, kZero, bytes({1, 3}), kScale, kZero, bytes({1, 5}), kScale, kZero},
                  {"y"}, {{"axis", {-1}}}),
            "uint8[1, 8]");
  EXPECT_EQ(fused("QLinearSoftmax", {bytes({2, 3}), kScale, kZero, kScale, kZero}, {"y"}),
            "uint8[2, 3]");
  EXPECT_EQ(fused("QLinearReduceMean", {bytes({2, 3, 4}), kScale, kZero, kScale, kZero}, {"y"},
                  {{"axes", {1}}, {"keepdims", {0}}}),
            "uint8[2, 4]");
}

TEST(QuantizedRules, ChannelsMayComeLast) {
  const std::vector<Operand> image = {bytes({1, 9, 7, 4}), kScale, kZero, kScale, kZero};
  EXPECT_EQ(fused("QLinearGlobalAveragePool", image, {"y"}), "uint8[1, 9, 1, 1]");
  EXPECT_EQ(fused("QLinearGlobalAveragePool", image, {"y"}, {{"channels_last", {1}}}),
            "uint8[1, 1, 1, 4]");
  EXPECT_EQ(fused("QLinearAveragePool", image, {"y"},
                  {{"channels_last", {1}}, {"kernel_shape", {3, 2}}, {"strides", {2, 1}}}),
            "uint8[1, 4, 6, 4]");
  EXPECT_EQ(fused("NhwcMaxPool", {bytes({1, 9, 7, 4})}, {"y"}, {{"kernel_shape", {2, 2}}}),
            "uint8[1, 8, 6, 4]");
  EXPECT_EQ(
      fused("QLinearConv",
            {bytes({1, 9, 7, 4}), kScale, kZero, bytes({8, 4, 3, 3}), kScale, kZero, kScale, kZero},
            {"y"}, {{"channels_last", {1}}}),
      "uint8[1, 7, 5, 8]");
  EXPECT_EQ(fused("NhwcFusedConv", {{{1, 9, 7, 4}}, {{8, 4, 3, 3}}}, {"y"}), "float32[1, 7, 5, 8]");
}

TEST(QuantizedRules, AProductIsRealWithoutAZeroPoint) {
  const std::vector<Operand> real = {bytes({2, 3}), kScale, kZero, bytes({5, 3}), kScale, kZero};
  std::vector<Operand> whole = real;
  whole.insert(whole.end(), {kNone, kScale, kZero});
  EXPECT_EQ(fused("QGemm", real, {"y"}, {{"transB", {1}}}), "float32[2, 5]");
  EXPECT_EQ(fused("QGemm", whole, {"y"}, {{"transB", {1}}}), "uint8[2, 5]");
  EXPECT_EQ(fused("FusedGemm", {{{3, 2}}, {{3, 5}}}, {"y"}, {{"transA", {1}}}), "float32[2, 5]");
}

TEST(QuantizedRules, WholeLayers) {
  const std::vector<Operand> attention = {
      bytes({1, 4, 32}), bytes({32, 96}), {{96}}, kScale, kScale, kNone, kZero, kZero,
      {{2, 1, 4, 10, 8}}};
  EXPECT_EQ(fused("QAttention", attention, {"y"}, {{"num_heads", {4}}}), "float32[1, 4, 32]");
  EXPECT_EQ(fused("QAttention", attention, {"o", "y"}, {{"num_heads", {4}}}),
            "float32[2, 1, 4, 14, 8]");
  const std::vector<Operand> lstm = {{{7, 2, 5}}, bytes({1, 5, 12}), bytes({1, 3, 12})};
  EXPECT_EQ(fused("DynamicQuantizeLSTM", lstm, {"y"}), "float32[7, 1, 2, 3]");
  EXPECT_EQ(fused("DynamicQuantizeLSTM", lstm, {"o", "", "y"}), "float32[1, 2, 3]");
}

TEST(RuntimeRules, PackedQueriesAndCachesWhereTheyAre) {
  const std::vector<Operand> paged = {{{16, 64}}, kNone, kNone, {{8, 4, 2, 8}}, {{8, 4, 2, 8}}};
  const Attributes heads = {{"num_heads", {4}}, {"kv_num_heads", {2}}};
  EXPECT_EQ(fused("PagedAttention", paged, {"y"}, heads), "float32[16, 32]");
  EXPECT_EQ(fused("PagedAttention", paged, {"o", "y"}, heads), "float32[8, 4, 2, 8]");
  EXPECT_EQ(fused("SparseAttention",
                  {{{1, 5, 32}}, {{1, 5, 16}}, {{1, 5, 16}}, {{1, 2, 64, 8}}, {{1, 2, 64, 8}}},
                  {"o", "y"}, heads),
            "float32[1, 2, 64, 8]");
  const std::vector<Operand> masked = {{{2, 1, 32}}, {{2, 1, 32}},   {{2, 1, 32}},  kNone,
                                       kNone,        {{2, 4, 9, 8}}, {{2, 4, 9, 8}}};
  EXPECT_EQ(fused("DecoderMaskedMultiHeadAttention", masked, {"o", "y"}, {{"num_heads", {4}}}),
            "float32[2, 4, 10, 8]");
  EXPECT_EQ(fused("DecoderMaskedMultiHeadAttention", masked, {"o", "y"},
                  {{"num_heads", {4}}, {"past_present_share_buffer", {1}}}),
            "float32[2, 4, 9, 8]");
  EXPECT_EQ(fused("PackedMultiHeadAttention", {{{7, 4, 3, 8}}}, {"y"}), "float32[7, 32]");
}

TEST(RuntimeRules, CountsPastAllSenseAreRefusedOrOpen) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(fused("NGramHashMapping", {{{2, 5}, kInt64}}, {"y"}, {{"max_ngram_size", {kLeast}}}),
            "int64[2, 5, ?]");
  EXPECT_EQ(fused("GroupQueryAttention", {{{1, 5, 32}}}, {"y"},
                  {{"num_heads", {kMost}}, {"kv_num_heads", {kMost}}}),
            "m.onnx: com.microsoft.GroupQueryAttention: it has 9223372036854775807 heads, "
            "9223372036854775807 of keys and values");
  EXPECT_EQ(fused("SparseAttention", {{{1, 5, 32}}}, {"y"},
                  {{"num_heads", {kMost}}, {"kv_num_heads", {kMost}}}),
            "float32[1, 5, ?]");
}

TEST(RuntimeRules, OneAxisChanges) {
  EXPECT_EQ(fused("BiasSplitGelu", {{{2, 3, 8}}, {{8}}}, {"y"}), "float32[2, 3, 4]");
  EXPECT_EQ(fused("UnfoldTensor", {{{2, 9}}}, {"y"}, {{"dim", {1}}, {"size", {4}}, {"step", {2}}}),
            "float32[2, 3, 4]");
  EXPECT_EQ(fused("TorchEmbedding", {{{10, 8}}, {{2, 3}, kInt64}}, {"y"}), "float32[2, 3, 8]");
  EXPECT_EQ(fused("GatherBlockQuantized", {bytes({10, 8}), {{2}, kInt64}, {{10, 1}}}, {"y"},
                  {{"bits", {4}}}),
            "float32[2, 16]");
  EXPECT_EQ(fused("CDist", {{{3, 2}}, {{5, 2}}}, {"y"}), "float32[3, 5]");
  EXPECT_EQ(fused("RemovePadding", {{{2, 3, 8}}, {{2}, kInt32}}, {"o", "p", "y"}), "int32[3]");
  EXPECT_EQ(fused("RestorePadding", {{{4, 8}}, {{2, 3}, kInt32}}, {"y"}), "float32[2, 3, 8]");
  EXPECT_EQ(fused("NGramHashMapping", {{{2, 5}, kInt64}}, {"y"},
                  {{"max_ngram_size", {3}}, {"n_head_per_ngram", {4}}}),
            "int64[2, 5, 8]");
}

TEST(LearnedRules, ARowForEachRow) {
  EXPECT_EQ(fused("LinearRegressor", {{{6, 4}}}, {"y"}, {{"targets", {3}}}, "ai.onnx.ml"),
            "float32[6, 3]");
  EXPECT_EQ(
      fused("OneHotEncoder", {{{6, 4}, kInt64}}, {"y"}, {{"cats_int64s", {1, 2, 3}}}, "ai.onnx.ml"),
      "float32[6, 4, 3]");
  EXPECT_EQ(fused("TreeEnsembleClassifier", {{{6, 4}}}, {"l", "y"},
                  {{"classlabels_int64s", {0, 1, 2}}}, "ai.onnx.ml"),
            "float32[6, 3]");
}

}  // namespace
}  // namespace berth
