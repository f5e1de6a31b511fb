// Sizes that a .tflite model leaves open, asked for and carried through its operators.
#include <algorithm>
#include <cstring>

#include "berth/formats/tflite.h"
#include "tests/regress/bug_corpus.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

using Dims = std::vector<std::int32_t>;
namespace fb = flatbuffers;

// A model of one operator or a few, written with the options that its rules read.
class Writer {
 public:
  int tensor(Dims shape, Dims signature = {}, std::int8_t type = kFloat32,
             const std::vector<std::int32_t>& numbers = {}) {
    std::uint32_t buffer = 0;
    if (!numbers.empty()) {
      std::vector<std::uint8_t> data(4 * numbers.size());
      std::memcpy(data.data(), numbers.data(), data.size());
      buffers_.push_back(schema::CreateBufferDirect(builder_, &data));
      buffer = static_cast<std::uint32_t>(buffers_.size());
    }
    const std::string name = "t" + std::to_string(tensors_.size());
    tensors_.push_back(schema::CreateTensorDirect(builder_, &shape, type, buffer, name.c_str(), 0,
                                                  false, 0,
                                                  signature.empty() ? nullptr : &signature));
    return static_cast<int>(tensors_.size()) - 1;
  }
  int numbers(const std::vector<std::int32_t>& values) {
    return tensor({static_cast<std::int32_t>(values.size())}, {}, 2, values);
  }
  template <typename Options = schema::ReducerOptions>
  void op(std::int32_t code, Dims inputs, Dims outputs,
          schema::BuiltinOptions type = schema::BuiltinOptions::NONE,
          fb::Offset<Options> options = {}) {
    codes_.push_back(schema::CreateOperatorCodeDirect(
        builder_, static_cast<std::int8_t>(std::min(code, 127)), nullptr, 1, code));
    ops_.push_back(schema::CreateOperatorDirect(builder_,
                                                static_cast<std::uint32_t>(codes_.size() - 1),
                                                &inputs, &outputs, type, options.Union()));
  }
  fb::FlatBufferBuilder& builder() { return builder_; }

  std::string write(Dims inputs, Dims outputs) {
    std::vector<fb::Offset<schema::SubGraph>> graphs = {
        schema::CreateSubGraphDirect(builder_, &tensors_, &inputs, &outputs, &ops_)};
    std::vector<fb::Offset<schema::Buffer>> buffers = {schema::CreateBuffer(builder_)};
    buffers.insert(buffers.end(), buffers_.begin(), buffers_.end());
    schema::FinishModelBuffer(
        builder_, schema::CreateModelDirect(builder_, 3, &codes_, &graphs, "", &buffers));
    return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

 private:
  fb::FlatBufferBuilder builder_;
  std::vector<fb::Offset<schema::Tensor>> tensors_;
  std::vector<fb::Offset<schema::OperatorCode>> codes_;
  std::vector<fb::Offset<schema::Operator>> ops_;
  std::vector<fb::Offset<schema::Buffer>> buffers_;
};

std::uint64_t bytes_of(const std::string& model, const TfliteOptions& options, int tensor) {
  const auto program = read_tflite(model, "m", options);
  if (!program) throw std::runtime_error(to_string(program.error()));
  return program->tensors[static_cast<std::size_t>(tensor)].bytes.count();
}

std::string refusal(const std::string& model, const TfliteOptions& options) {
  const auto program = read_tflite(model, "m", options);
  return program ? "" : to_string(program.error());
}

constexpr std::int32_t kAveragePool = 1;
constexpr std::int32_t kStridedSlice = 45;
constexpr std::int32_t kMean = 40;
constexpr std::int32_t kShape = 77;
constexpr std::int32_t kPack = 83;
constexpr std::int32_t kUnique = 103;

// x [1, 8, 8, 3], height and width open; a convolution of 5 filters of 3x3 at stride 2, then a mean
// of the plane.
std::string image_model(std::int8_t padding) {
  Writer writer;
  writer.tensor({1, 8, 8, 3}, {-1, -1, -1, 3});
  writer.tensor({5, 3, 3, 3}, {}, kInt8, std::vector<std::int32_t>());
  const std::int32_t side = padding == 0 ? 4 : 3;
  writer.tensor({1, side, side, 5}, {-1, -1, -1, 5});
  const int axes = writer.numbers({1, 2});
  writer.tensor({1, 5}, {-1, 5});
  writer.op(kConv2d, {0, 1}, {2}, schema::BuiltinOptions::Conv2DOptions,
            schema::CreateConv2DOptions(writer.builder(), padding, 2, 2));
  writer.op(kMean, {2, axes}, {4}, schema::BuiltinOptions::ReducerOptions,
            schema::CreateReducerOptions(writer.builder(), false));
  return writer.write({0, 1}, {4});
}

TEST(TfliteShapes, AConvolutionFollowsItsOperand) {
  for (const std::int8_t padding : {std::int8_t{0}, std::int8_t{1}}) {
    const std::string model = image_model(padding);
    TfliteOptions options;
    options.shapes = {{"t0", {2, 17, 32, 3}}};
    const std::uint64_t plane = padding == 0 ? 9 * 16 : 8 * 15;
    EXPECT_EQ(bytes_of(model, options, 0), 4U * 2 * 17 * 32 * 3);
    EXPECT_EQ(bytes_of(model, options, 2), 4U * 2 * plane * 5);
    EXPECT_EQ(bytes_of(model, options, 4), 4U * 2 * 5);
    options.shapes.clear();
    options.sizes = {{"t0[1]", 17}, {"t0[2]", 32}, {"t0[0]", 2}};
    EXPECT_EQ(bytes_of(model, options, 2), 4U * 2 * plane * 5);
  }
}

TEST(TfliteShapes, WhatCannotBeAskedIsRefused) {
  const std::string model = image_model(0);
  const auto asked = [&](std::vector<std::uint64_t> dims) {
    TfliteOptions options;
    options.shapes = {{"t0", std::move(dims)}};
    return refusal(model, options);
  };
  EXPECT_NE(asked({1, 8, 8}).find("has 4 dimensions"), std::string::npos);
  EXPECT_NE(asked({1, 8, 8, 4}).find("dimension 3 of input t0 is 3: the model does not leave it"),
            std::string::npos);
  EXPECT_NE(asked({1, 1ULL << 40, 8, 3}).find("past the 2147483647"), std::string::npos);
  TfliteOptions options;
  options.shapes = {{"no", {1}}};
  EXPECT_NE(refusal(model, options).find("m has no input 'no'"), std::string::npos);
  options = {};
  options.sizes = {{"t0", 3}};
  EXPECT_NE(refusal(model, options).find("leaves 3 dimensions open"), std::string::npos);
  options.sizes = {{"t0[4]", 3}};
  EXPECT_NE(refusal(model, options).find("none of number 4"), std::string::npos);
}

// x [1, 1, 4] -> SHAPE -> [0:2] -> PACK with 2, 2 -> RESHAPE of x to [b, s, 2, 2].
TEST(TfliteShapes, ShapesThatTheModelComputesAreFollowed) {
  Writer writer;
  writer.tensor({1, 1, 4}, {-1, -1, 4});
  writer.tensor({3}, {}, 2);                      // 1: shape
  const int zero = writer.numbers({0});           // 2
  const int one = writer.numbers({1});            // 3
  const int two = writer.numbers({2});            // 4
  writer.tensor({}, {}, 2);                       // 5: batch
  writer.tensor({}, {}, 2);                       // 6: sequence
  writer.tensor({}, {}, 2, {2});                  // 7
  writer.tensor({4}, {}, 2);                      // 8
  writer.tensor({1, 1, 2, 2}, {-1, -1, -1, -1});  // 9
  writer.op(kShape, {0}, {1});
  for (const auto& [from, to, result] : {std::tuple(zero, one, 5), std::tuple(one, two, 6)}) {
    writer.op(kStridedSlice, {1, from, to, one}, {result},
              schema::BuiltinOptions::StridedSliceOptions,
              schema::CreateStridedSliceOptions(writer.builder(), 0, 0, 0, 0, 1));
  }
  writer.op(kPack, {5, 6, 7, 7}, {8}, schema::BuiltinOptions::PackOptions,
            schema::CreatePackOptions(writer.builder(), 4, 0));
  writer.op(kReshape, {0, 8}, {9});
  const std::string model = writer.write({0}, {9});
  TfliteOptions options;
  options.shapes = {{"t0", {3, 7, 4}}};
  const auto program = read_tflite(model, "m", options);
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->tensors[9].layout->dims, (std::vector<std::uint64_t>{3, 7, 2, 2}));
}

TEST(TfliteShapes, AnOperatorWithoutARuleIsRefusedByName) {
  Writer writer;
  writer.tensor({1}, {-1});
  writer.tensor({1}, {-1});
  writer.tensor({1}, {-1});
  writer.op(kUnique, {0}, {1});
  writer.op(kRelu, {1}, {2});
  const std::string model = writer.write({0}, {2});
  TfliteOptions options;
  options.sizes = {{"t0", 5}};
  EXPECT_EQ(refusal(model, options),
            "m: subgraph 0, operator 0 (UNIQUE): its operands change shape, and it has no rule for "
            "its results (give the model fixed shapes when converting)");
  options.sizes = {{"t0", 1}};  // as the file has it
  EXPECT_EQ(refusal(model, options), "");
}

TEST(TfliteShapes, ARuleThatSaysOtherwiseThanTheFileIsNotTaken) {
  Writer writer;
  writer.tensor({1, 8, 8, 3}, {1, -1, 8, 3});
  writer.tensor({1, 9, 4, 3}, {1, -1, 4, 3});
  writer.tensor({1, 4, 3, 3});
  writer.op(kAveragePool, {0}, {1}, schema::BuiltinOptions::Pool2DOptions,
            schema::CreatePool2DOptions(writer.builder(), 1, 2, 2, 2, 2));
  writer.op(kAveragePool, {0}, {2}, schema::BuiltinOptions::Pool2DOptions,
            schema::CreatePool2DOptions(writer.builder(), 1, 2, 2, 2, 2));
  const std::string model = writer.write({0}, {1, 2});
  TfliteOptions options;
  options.sizes = {{"t0", 16}};
  EXPECT_NE(refusal(model, options)
                .find("its rule gives [1, 4, 4, 3] for tensor 't2' (2), the file "
                      "[1, 4, 3, 3]"),
            std::string::npos)
      << refusal(model, options);
}

TEST(TfliteShapes, SizesGoIntoTheBodiesOfCalls) {
  // flag, x [1] open -> IF -> y; both branches keep the shape.
  const auto open = [](std::string name) {
    TestTensor tensor{std::move(name), {1}, kFloat32};
    tensor.signature = {-1};
    return tensor;
  };
  const TestGraph branch = {
      .tensors = {open("a"), open("b")}, .inputs = {0}, .outputs = {1}, .ops = {{kRelu, {0}, {1}}}};
  const TestModel model = {{TestGraph{.tensors = {sized("flag", 1), open("x"), open("y")},
                                      .inputs = {0, 1},
                                      .outputs = {2},
                                      .ops = {{kIf, {0, 1}, {2}, {1, 2}}}},
                            branch, branch}};
  TfliteOptions options;
  options.sizes = {{"x", 100}};
  for (const int tensor : {1, 2, 3, 4, 5, 6}) {
    EXPECT_EQ(bytes_of(tflite_bytes(model), options, tensor), 400U);
  }
}

}  // namespace
}  // namespace berth
