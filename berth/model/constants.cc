#include "berth/model/constants.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "berth/model/rule.h"

namespace berth {
namespace {

// Another result each run.
constexpr std::array<std::string_view, 10> kRandom = {
    "Bernoulli",         "Multinomial", "RandomNormal", "RandomNormalLike",   "RandomUniform",
    "RandomUniformLike", "Dropout",     "BiasDropout",  "BitmaskBiasDropout", "BitmaskDropout"};

// An operator that is known, and computes.
bool is_pure(const ModelNode& node) {
  const bool is_random = (node.domain.empty() || node.domain == "com.microsoft") &&
                         std::ranges::find(kRandom, node.op) != kRandom.end();
  return node.bodies.empty() && !is_random && find_rule(node.domain, node.op) != nullptr;
}

}  // namespace

std::vector<bool> constants_of(const ModelGraph& graph) {
  std::vector<bool> constants;
  for (const ModelValue& value : graph.values) constants.push_back(value.constant.has_value());
  // A body stands behind the block around it, so what it reads from there is decided already.
  for (const ModelBlock& block : graph.blocks) {
    for (const ModelNode& node : block.nodes) {
      const bool is_fixed =
          is_pure(node) && std::ranges::all_of(node.inputs, [&](const auto& input) {
            return !input || constants[input->index()];
          });
      if (!is_fixed) continue;
      for (const auto& output : node.outputs) {
        if (output) constants[output->index()] = true;
      }
    }
  }
  return constants;
}

bool is_folded(const ModelNode& node, const std::vector<bool>& constants) {
  bool is_any = false;
  for (const auto& output : node.outputs) {
    if (output && !constants[output->index()]) return false;
    is_any = is_any || output;
  }
  return is_any;
}

}  // namespace berth
