#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "onnx_schema.pb.h"

namespace berth::testing {

namespace schema = onnx::schema;

// Element types, by their numbers in the public schema.
enum : int { kFloat32 = 1, kInt32 = 6, kInt64 = 7, kText = 8, kBoolean = 9, kFloat16 = 10 };

// A dimension: a size, or a symbol ("" for neither).
struct TestDim {
  TestDim(int size) : value(size) {}                           // NOLINT: as it is written
  TestDim(const char* symbol) : value(std::string(symbol)) {}  // NOLINT
  std::variant<int, std::string> value;
};
using TestDims = std::vector<TestDim>;
using Ints = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

// Writes a graph, line by line: `g.input("x", {1, 3}); g.node("Relu", {"x"}, {"y"});`.
class GraphWriter {
 public:
  explicit GraphWriter(schema::Graph& graph) : graph_(graph) {}

  void input(const std::string& name, const TestDims& dims, int type = kFloat32) {
    set(*graph_.add_input(), name, dims, type);
  }
  void output(const std::string& name, const TestDims& dims, int type = kFloat32) {
    set(*graph_.add_output(), name, dims, type);
  }
  // Of no type and no shape.
  void output(const std::string& name) { graph_.add_output()->set_name(name); }
  void value(const std::string& name, const TestDims& dims, int type = kFloat32) {
    set(*graph_.add_value_info(), name, dims, type);
  }

  // A list of ints, or one of them (where there are no dims).
  void ints(const std::string& name, const Ints& values) {
    auto& tensor = weight(name, {static_cast<std::int64_t>(values.size())}, kInt64);
    for (const std::int64_t value : values) tensor.add_int64_data(value);
  }
  void scalar(const std::string& name, std::int64_t value) {
    weight(name, {}, kInt64).add_int64_data(value);
  }
  // Without data, as in files that keep it elsewhere.
  schema::Tensor& weight(const std::string& name, const Ints& dims, int type = kFloat32) {
    auto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    return tensor;
  }

  schema::Node& node(const std::string& op, const Names& inputs, const Names& outputs,
                     const std::vector<std::pair<std::string, Ints>>& attributes = {}) {
    auto& node = *graph_.add_node();
    node.set_op_type(op);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    for (const auto& [name, values] : attributes) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(values.size() == 1 && name != "axes" ? 2 : 7);
      if (attribute.type() == 2) attribute.set_i(values[0]);
      for (const std::int64_t value : values) {
        if (attribute.type() == 7) attribute.add_ints(value);
      }
    }
    return node;
  }

  schema::Graph& graph() { return graph_; }

 private:
  static void set(schema::Value& value, const std::string& name, const TestDims& dims, int type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& shape = *tensor.mutable_shape();
    for (const TestDim& dim : dims) {
      auto& added = *shape.add_dim();
      if (const int* size = std::get_if<int>(&dim.value)) {
        added.set_dim_value(*size);
      } else if (!std::get<std::string>(dim.value).empty()) {
        added.set_dim_param(std::get<std::string>(dim.value));
      }
    }
  }

  schema::Graph& graph_;
};

using WriteGraph = std::function<void(GraphWriter&)>;

inline void add_body(schema::Node& node, const std::string& name, const WriteGraph& write) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(5);
  GraphWriter writer(*attribute.mutable_g());
  write(writer);
}

inline schema::Model onnx_model(const WriteGraph& write, std::int64_t opset = 17) {
  schema::Model model;
  auto& fused = *model.add_opset_import();
  fused.set_domain("com.microsoft");
  fused.set_version(1);
  auto& standard = *model.add_opset_import();
  standard.set_domain("");
  standard.set_version(opset);
  GraphWriter writer(*model.mutable_graph());
  write(writer);
  return model;
}

// With the version of the format in front, as files have it.
inline std::string onnx_bytes(const schema::Model& model) {
  return std::string("\x08\x08", 2) + model.SerializeAsString();
}

inline std::string onnx_bytes(const WriteGraph& write, std::int64_t opset = 17) {
  return onnx_bytes(onnx_model(write, opset));
}

}  // namespace berth::testing
