#include "berth/formats/tflite_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/formats/tflite_types.h"

namespace berth::tflite {
namespace {

using Fault = std::optional<Error>;

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
constexpr std::size_t kCaller = kNobody - 1;

// Of no bytes, so that there is nothing to wait for: a list of no dimensions to reshape to.
bool is_empty(const Value& value) {
  return value.bytes == Bytes(0) && !value.dynamic;
}

// Who writes each tensor: a node of its own subgraph, the caller, or nobody.
class OrderCheck {
 public:
  explicit OrderCheck(const Network& network)
      : network_(network), writer_(network.values.size(), kNobody) {}

  Fault find_fault() {
    for (std::size_t graph = 0; graph < network_.graphs.size(); ++graph) {
      if (Fault fault = find_writer_fault(graph)) return fault;
      if (Fault fault = find_reader_fault(graph)) return fault;
    }
    return std::nullopt;
  }

 private:
  const Value& value(TensorId tensor) const { return network_.values[tensor.index()]; }

  Fault refused(std::string where, std::string message, std::string hint = {}) const {
    return Error{Error::Kind::Input, std::move(where), std::move(message), std::move(hint)};
  }

  Fault find_writer_fault(std::size_t graph) {
    const Graph& source = network_.graphs[graph];
    for (const TensorId input : source.inputs) writer_[input.index()] = kCaller;
    for (std::size_t node = 0; node < source.nodes.size(); ++node) {
      for (const TensorId output : source.nodes[node].outputs) {
        if (value(output).variable) continue;
        if (Fault fault = find_second_writer(graph, node, output)) return fault;
        writer_[output.index()] = node;
      }
    }
    return std::nullopt;
  }

  Fault find_second_writer(std::size_t graph, std::size_t node, TensorId output) const {
    const std::size_t first = writer_[output.index()];
    if (value(output).constant) {
      return refused(
          place_of(network_, graph, node),
          fmt::format("writes tensor {}, which is a constant", text_of(network_, output)));
    }
    if (first == kNobody) return std::nullopt;
    const auto other = first == kCaller ? std::string("the subgraph's caller")
                                        : fmt::format("operator {} ({})", first,
                                                      network_.graphs[graph].nodes[first].name);
    return refused(
        place_of(network_, graph, node),
        fmt::format("writes tensor {}, which {} writes too", text_of(network_, output), other),
        "give each result a tensor of its own");
  }

  Fault find_reader_fault(std::size_t graph) const {
    const Graph& source = network_.graphs[graph];
    for (std::size_t node = 0; node < source.nodes.size(); ++node) {
      for (const TensorId input : source.nodes[node].inputs) {
        if (Fault fault = find_early_read(graph, node, input)) return fault;
      }
    }
    for (const TensorId output : source.outputs) {
      if (has_value(output) || writer_[output.index()] != kNobody) continue;
      return refused(fmt::format("{}: subgraph {}", network_.file, graph),
                     fmt::format("its output {} is written by nobody", text_of(network_, output)));
    }
    return std::nullopt;
  }

  Fault find_early_read(std::size_t graph, std::size_t node, TensorId input) const {
    const std::size_t writer = writer_[input.index()];
    if (has_value(input) || writer == kCaller || writer < node) return std::nullopt;
    const Node& reader = network_.graphs[graph].nodes[node];
    const auto what = fmt::format("reads tensor {}, which ", text_of(network_, input));
    if (writer != kNobody) {
      return refused(place_of(network_, graph, node),
                     what + fmt::format("operator {} ({}) writes only then or later", writer,
                                        network_.graphs[graph].nodes[writer].name),
                     "list operators in execution order");
    }
    if (reader.code == static_cast<std::int32_t>(Builtin::Custom)) return std::nullopt;
    return refused(place_of(network_, graph, node),
                   what + "nothing writes: it is no input, constant or variable");
  }

  // Without being written.
  bool has_value(TensorId tensor) const {
    const Value& held = value(tensor);
    return held.constant || held.variable || is_empty(held);
  }

  const Network& network_;
  std::vector<std::size_t> writer_;  // by TensorId
};

// TensorFlow Lite keeps what these give, and TensorFlow Lite Micro, which keeps nothing, runs
// neither of them: it has no DENSIFY, and its DEQUANTIZE takes no half precision.
bool is_foldable(const Node& node, const std::vector<Value>& values) {
  if (node.inputs.size() != 1) return false;
  const Value& operand = values[node.inputs[0].index()];
  const auto is_variable = [&](TensorId tensor) { return values[tensor.index()].variable; };
  if (!operand.constant || std::ranges::any_of(node.outputs, is_variable)) return false;
  const auto builtin = static_cast<Builtin>(node.code);
  return builtin == Builtin::Densify || (builtin == Builtin::Dequantize && is_half(operand.type));
}

}  // namespace

std::optional<Error> find_order_fault(const Network& network) {
  return OrderCheck(network).find_fault();
}

Network fold_constants(Network network) {
  for (Graph& graph : network.graphs) {
    std::vector<Node> kept;
    for (Node& node : graph.nodes) {
      if (!is_foldable(node, network.values)) {
        kept.push_back(std::move(node));
        continue;
      }
      for (const TensorId output : node.outputs) network.values[output.index()].constant = true;
    }
    graph.nodes = std::move(kept);
  }
  return network;
}

}  // namespace berth::tflite
