#include "berth/formats/onnx_names.h"

#include <string>
#include <unordered_set>

#include "berth/base/seeded_hash.h"
#include "berth/formats/onnx_attributes.h"

namespace berth::onnx {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<schema::Node>;

// Names that the bodies of a node read from around them.
void add_captured(const schema::Node& node, std::vector<std::string>& names) {
  std::vector<const schema::Graph*> open;
  for (const auto& [name, body] : bodies_of(node)) open.push_back(body);
  while (!open.empty()) {
    const schema::Graph& graph = *open.back();
    open.pop_back();
    std::unordered_set<std::string, SeededHash> own;
    for (const auto& input : graph.input()) own.insert(input.name());
    for (const auto& tensor : graph.initializer()) own.insert(tensor.name());
    for (const auto& inner : graph.node()) own.insert(inner.output().begin(), inner.output().end());
    const auto add = [&](const std::string& name) {
      if (!own.contains(name)) names.push_back(name);
    };
    for (const auto& inner : graph.node()) {
      for (const auto& input : inner.input()) add(input);
      for (const auto& [name, body] : bodies_of(inner)) open.push_back(body);
    }
    for (const auto& output : graph.output()) add(output.name());
  }
}

}  // namespace

std::vector<NodeNames> names_of(const Nodes& nodes) {
  std::vector<NodeNames> names;
  for (const auto& node : nodes) {
    names.push_back(
        {{node.input().begin(), node.input().end()}, {node.output().begin(), node.output().end()}});
    add_captured(node, names.back().inputs);
  }
  return names;
}

}  // namespace berth::onnx
