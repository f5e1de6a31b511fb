#include "berth/model/copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "berth/model/control_flow.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;
// Values that are copied to each other, the result of the node first where it has one.
using Copied = std::vector<std::optional<TensorId>>;

std::optional<TensorId> at(const std::vector<std::optional<TensorId>>& values, std::size_t index) {
  return index < values.size() ? values[index] : std::nullopt;
}

class Copies {
 public:
  Copies(const ModelGraph& graph, const ModelFacts& facts, const Bindings& bindings,
         std::vector<Tensor>& tensors)
      : graph_(graph), facts_(facts), bindings_(bindings), tensors_(tensors) {}

  // A body stands behind the block around it: from the inside out, each node is settled after what
  // its bodies hold.
  Fault settle() {
    for (std::size_t i = graph_.blocks.size(); i-- > 0;) {
      if (!facts_.block_runs[i]) continue;
      for (const ModelNode& node : graph_.blocks[i].nodes) {
        const Control control = control_of(node);
        Fault fault;
        if (control == Control::If) fault = settle_branches(node);
        if (control == Control::Loop || control == Control::Scan) fault = settle_turns(node);
        if (fault) return fault;
      }
    }
    return std::nullopt;
  }

 private:
  Fault settle_branches(const ModelNode& node) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      for (const ModelBody& body : node.bodies) {
        if (!facts_.block_runs[body.block]) continue;
        const TensorId given = graph_.blocks[body.block].outputs[i];
        if (Fault fault = settle_one(node, node.outputs[i], {given}, body.name)) return fault;
      }
    }
    return std::nullopt;
  }

  Fault settle_turns(const ModelNode& node) {
    const ModelBlock& body = graph_.blocks[node.bodies[0].block];
    const CarriedValues carried = carried_values(node);
    for (std::size_t i = 0; i < carried.count; ++i) {
      const TensorId inner = body.inputs[carried.body_input + i];
      const Copied given = {at(node.inputs, carried.operand + i),
                            body.outputs[carried.body_output + i]};
      const auto result = at(node.outputs, i);
      if (Fault fault = settle_one(node, result, given, node.bodies[0].name)) return fault;
      Copied all = given;
      if (result) all.push_back(result);
      enlarge(inner, all);
    }
    return std::nullopt;
  }

  Bytes largest(const Copied& values) const {
    Bytes most;
    for (const auto& value : values) {
      if (value) most = std::max(most, tensors_[value->index()].bytes);
    }
    return most;
  }

  bool is_fixed(TensorId value) const {
    const Tensor& tensor = tensors_[value.index()];
    return !tensor.dynamic && tensor.kind != TensorKind::Weight;
  }

  void enlarge(TensorId value, const Copied& given) {
    Tensor& tensor = tensors_[value.index()];
    if (!is_fixed(value) || largest(given) <= tensor.bytes) return;
    tensor.bytes = largest(given);
    tensor.layout.reset();
  }

  Fault settle_one(const ModelNode& node, const std::optional<TensorId>& result,
                   const Copied& given, const std::string& body) {
    if (!result || !is_fixed(*result)) return std::nullopt;
    const Tensor& tensor = tensors_[result->index()];
    if (bindings_.shape(tensor.name) != nullptr && largest(given) > tensor.bytes) {
      return Error{Error::Kind::Input, fmt::format("{}: {}", graph_.file, title_of(node)),
                   fmt::format("--shape gives its result '{}' {} bytes, but its {} gives {}",
                               tensor.name, tensor.bytes.count(), body, largest(given).count()),
                   "give it the largest shape that it can have"};
    }
    enlarge(*result, given);
    return std::nullopt;
  }

  const ModelGraph& graph_;
  const ModelFacts& facts_;
  const Bindings& bindings_;
  std::vector<Tensor>& tensors_;
};

}  // namespace

std::optional<Error> settle_copies(const ModelGraph& graph, const ModelFacts& facts,
                                   const Bindings& bindings, std::vector<Tensor>& tensors) {
  return Copies(graph, facts, bindings, tensors).settle();
}

}  // namespace berth
