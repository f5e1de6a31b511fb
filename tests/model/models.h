#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "berth/formats/onnx.h"
#include "berth/live/program_lives.h"
#include "berth/model/infer.h"
#include "berth/model/program.h"
#include "tests/testing/onnx_model.h"

namespace berth::testing {

// Every model of these tests, where BERTH_KEEP_MODELS names a folder: what another program infers
// of them is held against ours (onnx_oracle_test.cc).
inline void keep_model(const std::string& bytes) {
  static int kept = 0;
  const char* folder = std::getenv("BERTH_KEEP_MODELS");
  if (folder == nullptr) return;
  std::ofstream(folder + ("/" + std::to_string(kept++)) + ".onnx", std::ios::binary) << bytes;
}

inline ModelGraph graph_of(const WriteGraph& write, std::int64_t opset = 17) {
  const std::string bytes = onnx_bytes(write, opset);
  keep_model(bytes);
  auto graph = read_onnx(bytes, "m.onnx");
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? *std::move(graph) : ModelGraph{};
}

inline std::string refusal_of(const WriteGraph& write, const Bindings& bindings = {},
                              std::int64_t opset = 17) {
  const auto model = model_program(graph_of(write, opset), {.bindings = bindings});
  EXPECT_FALSE(model);
  return model ? "" : to_string(model.error());
}

inline ModelProgram program_of(const WriteGraph& write, const ModelOptions& options = {},
                               std::int64_t opset = 17) {
  auto model = model_program(graph_of(write, opset), options);
  EXPECT_TRUE(model) << to_string(model.error());
  return model ? *std::move(model) : ModelProgram{};
}

inline std::vector<std::string> steps_of(const Program& program) {
  std::vector<std::string> steps;
  for (const Phase& phase : program.phases) steps.push_back(phase.name);
  return steps;
}

inline Bytes bytes_of(const Program& program, const std::string& name) {
  for (const Tensor& tensor : program.tensors) {
    if (tensor.name == name) return tensor.bytes;
  }
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

// A model's values as they are planned, by name.
class Lives {
 public:
  explicit Lives(const Program& program) {
    auto lives = program_instance(program, Alignment());
    EXPECT_TRUE(lives) << to_string(lives.error());
    if (lives) lives_ = *std::move(lives);
  }

  LiveRange life(const std::string& name) const {
    for (const Member& member : lives_.members) {
      if (member.name == name) return member.life;
    }
    ADD_FAILURE() << name << " is not planned";
    return {};
  }
  std::optional<KeptWhy> kept(const std::string& name) const {
    for (const KeptTensor& tensor : lives_.kept) {
      if (tensor.name == name) return tensor.why;
    }
    return std::nullopt;
  }
  const Instance& instance() const { return lives_.instance; }

 private:
  ProgramInstance lives_{*Instance::make({}, {}, Alignment(), {}), {}, {}};
};

}  // namespace berth::testing
