#pragma once

// Small .tflite files for tests, written with the same accessors' builders that the schema gives.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tflite_schema_generated.h"

namespace berth::testing {

namespace schema = tflite::schema;

enum Code : std::int32_t {
  kAdd = 0,
  kConcatenation = 2,
  kConv2d = 3,
  kDequantize = 6,
  kMul = 18,
  kRelu = 19,
  kReshape = 22,
  kCall = 31,
  kCustom = 32,
  kLess = 58,
  kIf = 118,
  kWhile = 119,
  kCallOnce = 129,
  kVarHandle = 142,
  kReadVariable = 143,
  kAssignVariable = 144,
};

enum Type : std::int8_t {
  kFloat32 = 0,
  kUint8 = 3,
  kString = 5,
  kBool = 6,
  kInt8 = 9,
  kResource = 13,
  kUint16 = 16,
  kInt4 = 17,
};

struct TestTensor {
  std::string name;
  std::vector<std::int32_t> shape;
  std::int8_t type = kUint8;
  std::size_t data = 0;  // bytes of a constant; 0: it has none
  bool variable = false;
  std::optional<std::uint32_t> buffer = std::nullopt;  // instead of one of its own
  std::vector<std::int32_t> signature = {};
  std::optional<std::pair<std::uint64_t, std::uint64_t>> behind = std::nullopt;  // offset, size
  float scale = 0;                                                               // 0: none
};

struct TestOp {
  std::int32_t code = 0;
  std::vector<std::int32_t> inputs;
  std::vector<std::int32_t> outputs;
  std::vector<std::int32_t> callees = {};
  std::string custom = {};
  std::vector<std::int32_t> intermediates = {};
  std::optional<std::int32_t> axis = std::nullopt;  // of a concatenation
  std::int8_t activation = 0;
};

struct TestGraph {
  std::vector<TestTensor> tensors;
  std::vector<std::int32_t> inputs;
  std::vector<std::int32_t> outputs;
  std::vector<TestOp> ops;
};

struct TestModel {
  std::vector<TestGraph> graphs;
  std::optional<std::string> offline = std::nullopt;  // the block of an offline plan
};

class TestModelWriter {
 public:
  std::string write(const TestModel& model) {
    buffers_.push_back(schema::CreateBuffer(builder_));
    std::vector<flatbuffers::Offset<schema::SubGraph>> graphs;
    for (const TestGraph& graph : model.graphs) graphs.push_back(write_graph(graph));
    std::vector<flatbuffers::Offset<schema::Metadata>> metadata;
    if (model.offline) {
      const auto buffer = add_buffer(*model.offline);
      metadata.push_back(schema::CreateMetadataDirect(builder_, "OfflineMemoryAllocation", buffer));
    }
    const auto root =
        schema::CreateModelDirect(builder_, 3, &codes_, &graphs, "", &buffers_, nullptr, &metadata);
    schema::FinishModelBuffer(builder_, root);
    return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

 private:
  std::uint32_t add_buffer(const std::string& data) {
    const std::vector<std::uint8_t> bytes(data.begin(), data.end());
    buffers_.push_back(schema::CreateBufferDirect(builder_, &bytes));
    return static_cast<std::uint32_t>(buffers_.size() - 1);
  }

  flatbuffers::Offset<schema::SubGraph> write_graph(const TestGraph& graph) {
    std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
    for (const TestTensor& tensor : graph.tensors) tensors.push_back(write_tensor(tensor));
    std::vector<flatbuffers::Offset<schema::Operator>> ops;
    for (const TestOp& op : graph.ops) ops.push_back(write_op(op));
    return schema::CreateSubGraphDirect(builder_, &tensors, &graph.inputs, &graph.outputs, &ops);
  }

  flatbuffers::Offset<schema::Tensor> write_tensor(const TestTensor& tensor) {
    std::uint32_t buffer = tensor.buffer.value_or(0);
    if (tensor.behind) {
      const auto [offset, size] = *tensor.behind;
      buffers_.push_back(schema::CreateBuffer(builder_, 0, offset, size));
      buffer = static_cast<std::uint32_t>(buffers_.size() - 1);
    }
    if (tensor.data != 0) buffer = add_buffer(std::string(tensor.data, '\7'));
    flatbuffers::Offset<schema::QuantizationParameters> quantization;
    if (tensor.scale != 0) {
      const std::vector<float> scale = {tensor.scale};
      quantization = schema::CreateQuantizationParametersDirect(builder_, nullptr, nullptr, &scale);
    }
    return schema::CreateTensorDirect(builder_, &tensor.shape, tensor.type, buffer,
                                      tensor.name.c_str(), quantization, tensor.variable, 0,
                                      tensor.signature.empty() ? nullptr : &tensor.signature);
  }

  flatbuffers::Offset<schema::Operator> write_op(const TestOp& op) {
    codes_.push_back(schema::CreateOperatorCodeDirect(
        builder_, static_cast<std::int8_t>(std::min(op.code, 127)),
        op.custom.empty() ? nullptr : op.custom.c_str(), 1, op.code));
    auto options_type = schema::BuiltinOptions::NONE;
    flatbuffers::Offset<void> options;
    const auto callee = [&](std::size_t i) { return op.callees.at(i); };
    if (!op.callees.empty() && op.code == kIf) {
      options_type = schema::BuiltinOptions::IfOptions;
      options = schema::CreateIfOptions(builder_, callee(0), callee(1)).Union();
    } else if (!op.callees.empty() && op.code == kWhile) {
      options_type = schema::BuiltinOptions::WhileOptions;
      options = schema::CreateWhileOptions(builder_, callee(0), callee(1)).Union();
    } else if (!op.callees.empty() && op.code == kCallOnce) {
      options_type = schema::BuiltinOptions::CallOnceOptions;
      options = schema::CreateCallOnceOptions(builder_, callee(0)).Union();
    } else if (!op.callees.empty() && op.code == kCall) {
      options_type = schema::BuiltinOptions::CallOptions;
      options = schema::CreateCallOptions(builder_, static_cast<std::uint32_t>(callee(0))).Union();
    } else if (op.axis) {
      options_type = schema::BuiltinOptions::ConcatenationOptions;
      options = schema::CreateConcatenationOptions(builder_, *op.axis, op.activation).Union();
    }
    return schema::CreateOperatorDirect(builder_, static_cast<std::uint32_t>(codes_.size() - 1),
                                        &op.inputs, &op.outputs, options_type, options, nullptr, 0,
                                        nullptr, &op.intermediates);
  }

  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<schema::Buffer>> buffers_;
  std::vector<flatbuffers::Offset<schema::OperatorCode>> codes_;
};

inline std::string tflite_bytes(const TestModel& model) {
  return TestModelWriter().write(model);
}

inline std::string tflite_bytes(TestGraph graph) {
  return tflite_bytes(TestModel{{std::move(graph)}});
}

// A uint8 tensor of `bytes` bytes.
inline TestTensor sized(std::string name, std::int32_t bytes) {
  return {std::move(name), {bytes}};
}

inline TestTensor constant(std::string name, std::int32_t bytes) {
  return {std::move(name), {bytes}, kUint8, static_cast<std::size_t>(bytes)};
}

}  // namespace berth::testing
