#pragma once

// What the tests of ONNX models' sizes ask of one: built, read and planned, or refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/formats/onnx.h"
#include "berth/model/program.h"
#include "tests/testing/onnx_model.h"

namespace berth::testing {

// Element types by their numbers in the public schema.
enum : int { kUint8 = 2, kFloat64 = 11 };

inline ModelProgram model(const WriteGraph& write, const ModelOptions& options = {},
                          std::int64_t opset = 17) {
  const auto graph = read_onnx(onnx_bytes(write, opset), "m.onnx");
  EXPECT_TRUE(graph) << to_string(graph.error());
  auto program = model_program(*graph, options);
  EXPECT_TRUE(program) << to_string(program.error());
  return program ? *std::move(program) : ModelProgram{};
}

inline std::string refusal(const WriteGraph& write, const ModelOptions& options = {},
                           std::int64_t opset = 17) {
  const auto graph = read_onnx(onnx_bytes(write, opset), "m.onnx");
  if (!graph) return to_string(graph.error());
  const auto program = model_program(*graph, options);
  EXPECT_FALSE(program);
  return program ? "" : to_string(program.error());
}

// "dynamic", or how many bytes.
inline std::string size_in(const ModelProgram& model, const std::string& name) {
  for (const Tensor& tensor : model.program.tensors) {
    if (tensor.name != name) continue;
    return tensor.dynamic ? "dynamic" : std::to_string(tensor.bytes.count());
  }
  return "none";
}

inline std::string size_of(const WriteGraph& write, const std::string& name = "y",
                           std::int64_t opset = 17) {
  return size_in(model(write, {}, opset), name);
}

inline ModelOptions bound(const std::string& symbol, SizeRange range, bool in_place = false) {
  return {.bindings = {.symbols = {{symbol, range}}, .shapes = {}}, .in_place = in_place};
}

inline std::string taken_over_by(const ModelProgram& model, const std::string& result) {
  for (const Phase& phase : model.program.phases) {
    for (const TensorAccess& access : phase.accesses) {
      if (model.program.tensors[access.tensor.index()].name != result || !access.reuses) continue;
      return model.program.tensors[access.reuses->index()].name;
    }
  }
  return "";
}

inline void reals(GraphWriter& g, const std::string& name, const Ints& dims,
                  const std::vector<float>& values) {
  auto& tensor = g.weight(name, dims);
  for (const float value : values) tensor.add_float_data(value);
}

inline schema::Node& named(schema::Node& node, const std::string& attribute,
                           const std::string& text) {
  auto& added = *node.add_attribute();
  added.set_name(attribute);
  added.set_type(3);
  added.set_s(text);
  return node;
}

}  // namespace berth::testing
