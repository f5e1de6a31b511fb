#include "berth/formats/tflite_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/formats/tflite_types.h"
#include "berth/ir/tensor_size.h"
#include "tflite_schema_generated.h"

namespace berth::tflite {
namespace {

using Fault = std::optional<Error>;
using Indices = flatbuffers::Vector<std::int32_t>;

// FlatBuffers let tables share what they point to, so a small file can unfold without end. No model
// comes near these.
constexpr std::size_t kMostDims = 64;
constexpr std::size_t kMostNameBytes = std::size_t{256} << 20;
constexpr std::size_t kMostOperands = 50'000'000;
constexpr std::size_t kLongestOperatorName = 64;
constexpr std::int32_t kAbsent = -1;

template <typename T>
std::size_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

template <typename T>
auto at(const flatbuffers::Vector<T>* vector, std::size_t index) {
  return vector->Get(static_cast<flatbuffers::uoffset_t>(index));
}

std::string_view view_of(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

// Of a whole tensor: scale and zero point; nothing where it has none. NaN equals no other.
using Scale = std::optional<std::pair<float, std::int64_t>>;

Scale scale_of(const schema::Tensor& tensor) {
  const auto* parameters = tensor.quantization();
  if (parameters == nullptr || size_of(parameters->scale()) == 0) return std::nullopt;
  if (size_of(parameters->scale()) > 1) return std::pair(std::nanf(""), std::int64_t{0});
  const bool has_zero = size_of(parameters->zero_point()) > 0;
  return std::pair(at(parameters->scale(), 0),
                   has_zero ? at(parameters->zero_point(), 0) : std::int64_t{0});
}

// A dimension list in the words of the file: "[1, 96, 96, 3]".
std::string shape_text(const std::vector<std::int32_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

class Reader {
 public:
  explicit Reader(const File& file) : file_(file), model_(file.model()) {
    network_.file = file.name();
  }

  Result<Network> read() {
    if (size_of(model_.subgraphs()) == 0) {
      return input_error(file_.name(), "has no subgraph", "convert the model again");
    }
    if (Fault fault = find_limit_fault()) return tl::unexpected(std::move(*fault));
    for (std::size_t graph = 0; graph < model_.subgraphs()->size(); ++graph) {
      if (Fault fault = read_graph(graph)) return tl::unexpected(std::move(*fault));
    }
    return std::move(network_);
  }

 private:
  const schema::SubGraph& graph_at(std::size_t graph) const {
    return *at(model_.subgraphs(), graph);
  }

  Fault refused(const std::string& where, std::string message, std::string hint = {}) const {
    return Error{Error::Kind::Input, file_.name() + where, std::move(message), std::move(hint)};
  }

  Fault refused_limit(std::string what) const {
    return Error{Error::Kind::Limit, file_.name(), std::move(what), ""};
  }

  // Counts before anything is copied.
  Fault find_limit_fault() const {
    std::size_t operands = 0;
    std::size_t name_bytes = 0;
    for (const auto* graph : *model_.subgraphs()) {
      operands += size_of(graph->inputs()) + size_of(graph->outputs());
      for (std::size_t i = 0; i < size_of(graph->operators()); ++i) {
        const auto* op = at(graph->operators(), i);
        operands += size_of(op->inputs()) + size_of(op->outputs()) + size_of(op->intermediates());
      }
      for (std::size_t i = 0; i < size_of(graph->tensors()); ++i) {
        name_bytes += view_of(at(graph->tensors(), i)->name()).size();
      }
    }
    if (operands > kMostOperands) {
      return refused_limit(
          fmt::format("has {} operands; the limit is {}", operands, kMostOperands));
    }
    if (name_bytes > kMostNameBytes) {
      return refused_limit(
          fmt::format("has {} bytes of tensor names; the limit is {}", name_bytes, kMostNameBytes));
    }
    return std::nullopt;
  }

  Fault read_graph(std::size_t graph) {
    const schema::SubGraph& source = graph_at(graph);
    network_.graphs.push_back({printable(view_of(source.name()).substr(0, 256)), {}, {}, {}});
    first_ = network_.values.size();
    for (std::size_t tensor = 0; tensor < size_of(source.tensors()); ++tensor) {
      if (Fault fault = read_value(graph, tensor)) return fault;
    }
    const auto where = fmt::format(": subgraph {}", graph);
    Graph& target = network_.graphs.back();
    if (Fault fault = read_tensors(source.inputs(), where, "input", false, target.inputs)) {
      return fault;
    }
    if (Fault fault = read_tensors(source.outputs(), where, "output", false, target.outputs)) {
      return fault;
    }
    for (std::size_t node = 0; node < size_of(source.operators()); ++node) {
      if (Fault fault = read_node(graph, node)) return fault;
    }
    for (const TensorId input : target.inputs) {
      network_.values[input.index()].constant = false;  // the caller's bytes are copied over it
    }
    for (std::size_t tensor = first_; tensor < network_.values.size(); ++tensor) {
      if (Fault fault = find_data_fault(graph, tensor)) return fault;
    }
    return std::nullopt;
  }

  std::string tensor_place(std::size_t graph, std::size_t tensor, const Value& value) const {
    return fmt::format(": subgraph {}, tensor {} '{}'", graph, tensor, value.name);
  }

  // A constant's data is its elements, one after the other; of types of less than a byte some
  // writers store a byte each. Sparse data has an index of its own, text a length each.
  Fault find_data_fault(std::size_t graph, std::size_t tensor) const {
    const Value& value = network_.values[tensor];
    if (!value.constant || value.dynamic || value.sparse || value.stored == value.bytes) {
      return std::nullopt;
    }
    const ElementType type = *element_type(value.type);
    if (type.bits < 8) {
      std::vector<std::uint64_t> dims(value.shape.begin(), value.shape.end());
      const auto whole = tensor_bytes(dims, 8);
      if (whole && *whole == value.stored) return std::nullopt;
    }
    return refused(
        tensor_place(graph, tensor - first_, value),
        fmt::format("a constant of shape {} of {} has {} bytes; its data in the file {}",
                    shape_text(value.shape), type.name, value.bytes.count(), value.stored.count()),
        "the file was cut or its shape changed: convert the model again");
  }

  Fault read_value(std::size_t graph, std::size_t tensor) {
    const auto* source = at(graph_at(graph).tensors(), tensor);
    Value value;
    value.name = printable(view_of(source->name()));
    value.type = source->type();
    value.variable = source->is_variable();
    value.sparse = source->sparsity() != nullptr;
    const auto* quantization = source->quantization();
    value.scales = quantization == nullptr ? 0 : size_of(quantization->scale());
    const auto where = tensor_place(graph, tensor, value);
    if (size_of(source->shape()) > kMostDims) {
      return refused(where, fmt::format("has {} dimensions; the limit is {}",
                                        source->shape()->size(), kMostDims));
    }
    if (source->shape() != nullptr) {
      value.shape.assign(source->shape()->begin(), source->shape()->end());
    }
    // Of another rank it says nothing of these dimensions.
    const bool has_signature = size_of(source->shape_signature()) == value.shape.size();
    for (std::size_t i = 0; has_signature && i < value.shape.size(); ++i) {
      if (at(source->shape_signature(), i) < 0) value.open.push_back(i);
    }
    if (Fault fault = read_size(where, value)) return fault;
    if (Fault fault = read_data(where, *source, value)) return fault;
    network_.values.push_back(std::move(value));
    return std::nullopt;
  }

  Fault read_size(const std::string& where, Value& value) const {
    const auto type = element_type(value.type);
    if (!type) {
      return refused(where, fmt::format("its element type {} is not known", value.type));
    }
    std::vector<std::uint64_t> dims;
    for (std::size_t i = 0; i < value.shape.size(); ++i) {
      if (value.shape[i] < 0) {
        return refused(
            where,
            fmt::format("dimension {} of its shape {} is negative", i, shape_text(value.shape)),
            "give it fixed dimensions when converting");
      }
      dims.push_back(static_cast<std::uint64_t>(value.shape[i]));
    }
    value.dynamic = type->dynamic();
    if (value.dynamic) return std::nullopt;
    const auto bytes = tensor_bytes(dims, type->bits);
    if (!bytes) {
      return refused(where, fmt::format("shape {} of {} needs {} bytes, more than 64 bits hold",
                                        shape_text(value.shape), type->name, bytes.error()));
    }
    value.bytes = *bytes;
    return std::nullopt;
  }

  Fault read_data(const std::string& where, const schema::Tensor& source, Value& value) const {
    const std::size_t buffers = size_of(model_.buffers());
    if (source.buffer() == 0) return std::nullopt;  // by convention: no data, whatever the table
    if (source.buffer() >= buffers) {
      return refused(where, fmt::format("its data is in buffer {}; the table has {} buffers",
                                        source.buffer(), buffers));
    }
    const auto data = file_.buffer(source.buffer());
    if (!data) return data.error();
    value.stored = Bytes(data->size());
    value.constant = !value.variable && !data->empty();
    return std::nullopt;
  }

  Fault read_tensors(const Indices* source, const std::string& where, const char* what,
                     bool may_be_absent, std::vector<TensorId>& target) const {
    const std::size_t tensors = network_.values.size() - first_;
    for (std::size_t i = 0; i < size_of(source); ++i) {
      const std::int32_t index = at(source, i);
      if (index == kAbsent && may_be_absent) continue;
      if (index < 0 || static_cast<std::size_t>(index) >= tensors) {
        return refused(where, fmt::format("{} {} is tensor {}; the subgraph has {} tensors", what,
                                          i, index, tensors));
      }
      target.emplace_back(first_ + static_cast<std::size_t>(index));
    }
    return std::nullopt;
  }

  Fault read_node(std::size_t graph, std::size_t index) {
    const auto* source = at(graph_at(graph).operators(), index);
    const std::size_t codes = size_of(model_.operator_codes());
    auto where = fmt::format(": subgraph {}, operator {}", graph, index);
    if (source->opcode_index() >= codes) {
      return refused(where, fmt::format("its code is entry {}; the table has {} operator codes",
                                        source->opcode_index(), codes));
    }
    Node node = named(*at(model_.operator_codes(), source->opcode_index()));
    node.index = index;
    where += fmt::format(" ({})", node.name);
    if (Fault fault = read_tensors(source->inputs(), where, "input", true, node.inputs)) {
      return fault;
    }
    if (Fault fault = read_tensors(source->outputs(), where, "output", false, node.outputs)) {
      return fault;
    }
    std::vector<TensorId> internal;  // they have no bytes of their own, but must exist
    if (Fault fault =
            read_tensors(source->intermediates(), where, "intermediate", true, internal)) {
      return fault;
    }
    if (Fault fault = read_callees(where, *source, node)) return fault;
    node.joins_along = joined_along(graph_at(graph), *source, node);
    network_.graphs.back().nodes.push_back(std::move(node));
    return std::nullopt;
  }

  static Node named(const schema::OperatorCode& code) {
    Node node;
    node.code = std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code());
    node.name = operator_name(node.code);
    const auto custom = view_of(code.custom_code());
    if (node.code == static_cast<std::int32_t>(Builtin::Custom) && !custom.empty()) {
      node.name = printable(custom.substr(0, kLongestOperatorName));
    }
    return node;
  }

  Fault read_callees(const std::string& where, const schema::Operator& source, Node& node) const {
    const auto called = named_callees(source, static_cast<Builtin>(node.code));
    if (!called) return refused(where, "does not say which subgraph it runs");
    for (const auto& [name, index] : *called) {
      const std::size_t graphs = model_.subgraphs()->size();
      if (index < 0 || static_cast<std::size_t>(index) >= graphs) {
        return refused(where, fmt::format("its '{}' is subgraph {}; the model has {} subgraphs",
                                          name, index, graphs));
      }
      node.callees.push_back({name, static_cast<std::size_t>(index)});
    }
    return std::nullopt;
  }

  // Inputs of another scale than the output's are not copied as they are.
  static std::optional<std::int32_t> joined_along(const schema::SubGraph& graph,
                                                  const schema::Operator& source,
                                                  const Node& node) {
    const auto* options = source.builtin_options_as_ConcatenationOptions();
    const bool is_copy = node.code == static_cast<std::int32_t>(Builtin::Concatenation) &&
                         options != nullptr && options->fused_activation_function() == 0 &&
                         size_of(source.outputs()) == 1;
    if (!is_copy) return std::nullopt;
    const auto tensor_at = [&](const Indices* list, std::size_t index) -> const schema::Tensor& {
      return *at(graph.tensors(), static_cast<std::size_t>(at(list, index)));
    };
    const schema::Tensor& output = tensor_at(source.outputs(), 0);
    for (std::size_t i = 0; i < size_of(source.inputs()); ++i) {
      if (at(source.inputs(), i) == kAbsent) return std::nullopt;
      const schema::Tensor& input = tensor_at(source.inputs(), i);
      if (input.type() != output.type() || scale_of(input) != scale_of(output)) return std::nullopt;
    }
    return options->axis();
  }

  struct Called {
    const char* name;
    std::int64_t index;
  };

  // Nothing where an operator that runs subgraphs comes without the options that name them.
  static std::optional<std::vector<Called>> named_callees(const schema::Operator& source,
                                                          Builtin builtin) {
    switch (builtin) {
      case Builtin::If: {
        const auto* options = source.builtin_options_as_IfOptions();
        if (options == nullptr) return std::nullopt;
        return {
            {{"then", options->then_subgraph_index()}, {"else", options->else_subgraph_index()}}};
      }
      case Builtin::While:
      case Builtin::StablehloWhile: {
        const auto* options = builtin == Builtin::While
                                  ? source.builtin_options_as_WhileOptions()
                                  : source.builtin_options_2_as_StablehloWhileOptions();
        if (options == nullptr) return std::nullopt;
        return {
            {{"cond", options->cond_subgraph_index()}, {"body", options->body_subgraph_index()}}};
      }
      case Builtin::CallOnce: {
        const auto* options = source.builtin_options_as_CallOnceOptions();
        if (options == nullptr) return std::nullopt;
        return {{{"init", options->init_subgraph_index()}}};
      }
      case Builtin::Call: {
        const auto* options = source.builtin_options_as_CallOptions();
        if (options == nullptr) return std::nullopt;
        return {{{"call", options->subgraph()}}};
      }
      case Builtin::StablehloComposite: {
        const auto* options = source.builtin_options_2_as_CompositeOptions();
        if (options == nullptr) return std::nullopt;
        return {{{"parts", options->decomposition_subgraph_index()}}};
      }
      default:
        return {std::vector<Called>{}};
    }
  }

  const File& file_;
  const schema::Model& model_;
  Network network_;
  std::size_t first_ = 0;  // the first tensor of the subgraph being read
};

}  // namespace

Result<Network> read_network(const File& file) {
  return Reader(file).read();
}

std::string place_of(const Network& network, std::size_t graph, std::size_t node) {
  const Node& it = network.graphs[graph].nodes[node];
  return fmt::format("{}: subgraph {}, operator {} ({})", network.file, graph, it.index, it.name);
}

std::string text_of(const Network& network, TensorId tensor) {
  return fmt::format("'{}' ({})", network.values[tensor.index()].name, tensor.index());
}

}  // namespace berth::tflite
