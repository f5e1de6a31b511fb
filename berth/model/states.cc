#include "berth/model/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace berth {
namespace {

using Names = std::map<std::string, TensorId>;

Names names_of(const ModelGraph& graph, const std::vector<TensorId>& ids) {
  Names names;
  for (const TensorId id : ids) names.emplace(graph.values[id.index()].name, id);
  return names;
}

// What exporters call the two ends of a state; the longer pattern first.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kPairs = {{
    {"past_key_values", "present"},
    {"past_key_values", "present_key_values"},
    {"past", "present"},
}};

std::vector<std::string> present_names(const std::string& past) {
  std::vector<std::string> names;
  for (const auto& [from, to] : kPairs) {
    const auto at = past.find(from);
    if (at == std::string::npos) continue;
    std::string name = past;
    names.push_back(name.replace(at, from.size(), to));
  }
  return names;
}

}  // namespace

Result<std::vector<TensorId>> carried_states(
    const ModelGraph& graph, const std::vector<std::pair<std::string, std::string>>& asked) {
  const Names inputs = names_of(graph, graph.blocks[0].inputs);
  const Names outputs = names_of(graph, graph.blocks[0].outputs);
  std::vector<TensorId> states;
  for (const auto& [in, out] : asked) {
    const auto input = inputs.find(in);
    const auto output = outputs.find(out);
    if (input == inputs.end() || output == outputs.end()) {
      return usage_error("--state", fmt::format("{} has no {} '{}'", graph.file,
                                                input == inputs.end() ? "input" : "output",
                                                input == inputs.end() ? in : out));
    }
    states.push_back(input->second);
    states.push_back(output->second);
  }
  for (const auto& [name, input] : inputs) {
    for (const std::string& present : present_names(name)) {
      const auto output = outputs.find(present);
      if (output == outputs.end()) continue;
      states.push_back(input);
      states.push_back(output->second);
      break;
    }
  }
  return states;
}

}  // namespace berth
