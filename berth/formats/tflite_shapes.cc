#include "berth/formats/tflite_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "berth/formats/tflite_shape_rules.h"
#include "berth/formats/tflite_types.h"
#include "berth/ir/tensor_size.h"
#include "tflite_schema_generated.h"

namespace berth::tflite {
namespace {

using Fault = std::optional<Error>;

constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostNumbers = 4096;

std::string dims_text(const Dims& dims) {
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

// "x[1]" is dimension 1 of x; "x" its only open one.
struct AskedSize {
  std::string input;
  std::optional<std::size_t> dim;
};

AskedSize asked_size(const std::string& name) {
  const auto open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, std::nullopt};
  std::size_t dim = 0;
  const char* end = name.data() + name.size() - 1;
  const auto [rest, status] = std::from_chars(name.data() + open + 1, end, dim);
  if (status != std::errc() || rest != end) return {name, std::nullopt};
  return {name.substr(0, open), dim};
}

class ShapeWalk {
 public:
  ShapeWalk(Network network, const File& file)
      : network_(std::move(network)), file_(file), said_(network_.values.size()) {}

  Result<Network> walk(const TfliteOptions& options) {
    read_numbers();
    now_ = said_;
    if (Fault fault = ask(options)) return tl::unexpected(std::move(*fault));
    if (Fault fault = walk_graph(0, 0)) return tl::unexpected(std::move(*fault));
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (Fault fault = resize(i)) return tl::unexpected(std::move(*fault));
    }
    return std::move(network_);
  }

 private:
  // As the file says it: dimensions, and the integers of small constants.
  void read_numbers() {
    std::size_t index = 0;
    for (const auto* graph : *file_.model().subgraphs()) {
      if (graph->tensors() == nullptr) continue;
      for (const auto* tensor : *graph->tensors()) {
        const Value& value = network_.values[index];
        said_[index].dims.assign(value.shape.begin(), value.shape.end());
        if (value.constant && !value.sparse) said_[index].numbers = numbers_of(*tensor, value);
        ++index;
      }
    }
  }

  std::optional<std::vector<std::int64_t>> numbers_of(const schema::Tensor& tensor,
                                                      const Value& value) const {
    const auto type = element_type(value.type);
    const std::string_view name = type->name;
    const std::size_t width = name == "INT32" ? 4 : name == "INT64" ? 8 : 0;
    const auto data = file_.buffer(tensor.buffer());
    if (width == 0 || !data || data->size() % width != 0) return std::nullopt;
    if (data->size() / width > kMostNumbers) return std::nullopt;
    std::vector<std::int64_t> numbers;
    for (std::size_t at = 0; at < data->size(); at += width) {
      std::uint64_t word = 0;
      for (std::size_t byte = 0; byte < width; ++byte) {
        word |= static_cast<std::uint64_t>(static_cast<std::uint8_t>((*data)[at + byte]))
                << (8 * byte);
      }
      numbers.push_back(width == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(word))
                                   : static_cast<std::int64_t>(word));
    }
    return numbers;
  }

  Fault refused(const std::string& option, std::string message, std::string hint) const {
    return Error{Error::Kind::Usage, option, std::move(message), std::move(hint)};
  }

  std::string input_names() const {
    std::string names;
    for (const TensorId input : network_.graphs[0].inputs) {
      names += (names.empty() ? "" : ", ") + network_.values[input.index()].name;
    }
    return names;
  }

  std::optional<TensorId> input_named(const std::string& name) const {
    for (const TensorId input : network_.graphs[0].inputs) {
      if (network_.values[input.index()].name == name) return input;
    }
    return std::nullopt;
  }

  Fault ask(const TfliteOptions& options) {
    for (const auto& [name, dims] : options.shapes) {
      const auto input = input_named(name);
      if (!input) {
        return refused("--shape", fmt::format("{} has no input '{}'", network_.file, name),
                       "its inputs are " + input_names());
      }
      Dims& now = now_[input->index()].dims;
      if (dims.size() != now.size()) {
        return refused("--shape",
                       fmt::format("input {} has {} dimensions {}, not {}", name, now.size(),
                                   dims_text(now), dims.size()),
                       "give each of them");
      }
      for (std::size_t i = 0; i < dims.size(); ++i) {
        if (Fault fault = set_dim(*input, i, dims[i], "--shape")) return fault;
      }
    }
    for (const auto& [name, size] : options.sizes) {
      if (Fault fault = ask_size(name, size)) return fault;
    }
    return std::nullopt;
  }

  Fault ask_size(const std::string& name, std::uint64_t size) {
    const AskedSize asked = asked_size(name);
    const auto input = input_named(asked.input);
    if (!input) {
      return refused("--bind", fmt::format("{} has no input '{}'", network_.file, asked.input),
                     "give INPUT[DIMENSION]=N; its inputs are " + input_names());
    }
    const Value& value = network_.values[input->index()];
    if (!asked.dim && value.open.size() != 1) {
      return refused("--bind",
                     fmt::format("input {} leaves {} dimensions open", name, value.open.size()),
                     fmt::format("say which: {}[0]={}", name, size));
    }
    const std::size_t dim = asked.dim.value_or(value.open.empty() ? 0 : value.open[0]);
    if (dim >= value.shape.size()) {
      return refused("--bind",
                     fmt::format("input {} has {} dimensions, none of number {}", asked.input,
                                 value.shape.size(), dim),
                     "dimensions are counted from 0");
    }
    return set_dim(*input, dim, size, "--bind");
  }

  Fault set_dim(TensorId input, std::size_t dim, std::uint64_t size, const char* option) {
    const Value& value = network_.values[input.index()];
    std::int64_t& now = now_[input.index()].dims[dim];
    if (std::cmp_equal(now, size)) return std::nullopt;
    const bool is_open = std::ranges::find(value.open, dim) != value.open.end();
    if (!is_open) {
      return refused(option,
                     fmt::format("dimension {} of input {} is {}: the model does not leave it open",
                                 dim, value.name, now),
                     "a fixed size is changed by converting the model again");
    }
    if (size > INT32_MAX) {
      return refused(option,
                     fmt::format("{} is past the {} that a dimension can be", size, INT32_MAX),
                     "give a smaller size");
    }
    now = static_cast<std::int64_t>(size);
    return std::nullopt;
  }

  // --- through the operators ---

  Fault walk_graph(std::size_t graph, std::size_t depth) {
    if (depth > kMostDepth) {
      return Error{
          Error::Kind::Limit, network_.file,
          fmt::format("calls nest deeper than the {} through which shapes are carried", kMostDepth),
          ""};
    }
    for (std::size_t node = 0; node < network_.graphs[graph].nodes.size(); ++node) {
      const Node& it = network_.graphs[graph].nodes[node];
      Fault fault = it.callees.empty() ? walk_node(graph, node) : walk_call(graph, node, depth);
      if (fault) return fault;
    }
    return std::nullopt;
  }

  bool changed(TensorId tensor) const { return now_[tensor.index()] != said_[tensor.index()]; }

  std::vector<Shaped> gathered(const std::vector<TensorId>& list,
                               const std::vector<Shaped>& from) const {
    std::vector<Shaped> shaped;
    shaped.reserve(list.size());
    for (const TensorId tensor : list) shaped.push_back(from[tensor.index()]);
    return shaped;
  }

  Fault no_rule(std::size_t graph, std::size_t node, const std::string& why) const {
    return Error{Error::Kind::Input, place_of(network_, graph, node), why,
                 "give the model fixed shapes when converting"};
  }

  const schema::Operator& operator_at(std::size_t graph, const Node& node) const {
    const auto* source = file_.model().subgraphs()->Get(static_cast<unsigned>(graph));
    return *source->operators()->Get(static_cast<unsigned>(node.index));
  }

  // What is computed of the file's own shapes may be needed by the rules of what follows.
  Fault walk_node(std::size_t graph, std::size_t index) {
    const Node& node = network_.graphs[graph].nodes[index];
    const auto& options = operator_at(graph, node);
    const std::string name = operator_name(node.code);
    const bool is_changed =
        std::ranges::any_of(node.inputs, [&](TensorId it) { return changed(it); });
    const auto before =
        shapes_by_rule(name, options, gathered(node.inputs, said_), node.outputs.size());
    for (std::size_t i = 0; before && i < node.outputs.size(); ++i) {
      Shaped& said = said_[node.outputs[i].index()];
      if ((*before)[i].dims == said.dims) said.numbers = (*before)[i].numbers;
      if (!is_changed) now_[node.outputs[i].index()] = said;
    }
    if (!is_changed) return std::nullopt;
    if (!before) {
      return no_rule(graph, index, "its operands change shape, and it has no rule for its results");
    }
    if (Fault fault = find_other_shape(graph, index, *before)) return fault;
    const auto after =
        shapes_by_rule(name, options, gathered(node.inputs, now_), node.outputs.size());
    if (!after) {
      std::string operands;
      for (const TensorId input : node.inputs) {
        operands += (operands.empty() ? "" : ", ") + dims_text(now_[input.index()].dims);
      }
      return no_rule(graph, index,
                     fmt::format("its rule gives no result for operands of {}", operands));
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      now_[node.outputs[i].index()] = (*after)[i];
    }
    return std::nullopt;
  }

  // Where the converter left a dimension of a result open, what the file says of it is nothing.
  Fault find_other_shape(std::size_t graph, std::size_t index,
                         const std::vector<Shaped>& before) const {
    const Node& node = network_.graphs[graph].nodes[index];
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const Value& value = network_.values[node.outputs[i].index()];
      const Dims& said = said_[node.outputs[i].index()].dims;
      bool agree = before[i].dims.size() == said.size();
      for (std::size_t dim = 0; agree && dim < said.size(); ++dim) {
        const bool is_open = std::ranges::find(value.open, dim) != value.open.end();
        agree = is_open || before[i].dims[dim] == said[dim];
      }
      if (agree) continue;
      return no_rule(
          graph, index,
          fmt::format("its rule gives {} for tensor {}, the file {}", dims_text(before[i].dims),
                      text_of(network_, node.outputs[i]), dims_text(said)));
    }
    return std::nullopt;
  }

  // --- through calls ---

  Fault walk_call(std::size_t graph, std::size_t index, std::size_t depth) {
    const Node node = network_.graphs[graph].nodes[index];
    const auto builtin = static_cast<Builtin>(node.code);
    const bool is_loop = builtin == Builtin::While || builtin == Builtin::StablehloWhile;
    if (builtin == Builtin::CallOnce) return walk_graph(node.callees[0].graph, depth + 1);
    std::vector<TensorId> passed = node.inputs;
    if (builtin == Builtin::If && !passed.empty()) passed.erase(passed.begin());
    for (const Callee& callee : node.callees) {
      const Graph& body = network_.graphs[callee.graph];
      if (passed.size() != body.inputs.size()) return std::nullopt;  // refused where calls unfold
      if (Fault fault = pass(graph, index, passed, body.inputs)) return fault;
      if (Fault fault = walk_graph(callee.graph, depth + 1)) return fault;
    }
    const Graph& last = network_.graphs[node.callees.back().graph];
    const auto& results = is_loop ? passed : last.outputs;
    for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
      now_[node.outputs[i].index()].dims = now_[results[i].index()].dims;
    }
    return std::nullopt;
  }

  // One set of tensors serves all calls of a subgraph: it has one shape.
  Fault pass(std::size_t graph, std::size_t index, const std::vector<TensorId>& from,
             const std::vector<TensorId>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      Shaped& now = now_[to[i].index()];
      const Dims& dims = now_[from[i].index()].dims;
      if (now.dims == dims) continue;
      if (now.dims != said_[to[i].index()].dims) {
        return no_rule(graph, index,
                       fmt::format("passes {} for tensor {}, which another call gives {}",
                                   dims_text(dims), text_of(network_, to[i]), dims_text(now.dims)));
      }
      now.dims = dims;
    }
    return std::nullopt;
  }

  Fault resize(std::size_t index) {
    if (now_[index].dims == said_[index].dims) return std::nullopt;
    Value& value = network_.values[index];
    const auto type = element_type(value.type);
    std::vector<std::uint64_t> dims(now_[index].dims.begin(), now_[index].dims.end());
    value.shape.assign(now_[index].dims.begin(), now_[index].dims.end());
    if (value.dynamic) return std::nullopt;
    const auto bytes = tensor_bytes(dims, type->bits);
    if (!bytes) {
      return Error{Error::Kind::Input,
                   network_.file + ": tensor " + text_of(network_, TensorId(index)),
                   fmt::format("shape {} of {} needs {} bytes, more than 64 bits hold",
                               dims_text(now_[index].dims), type->name, bytes.error()),
                   ""};
    }
    value.bytes = *bytes;
    return std::nullopt;
  }

  Network network_;
  const File& file_;
  std::vector<Shaped> said_;  // by TensorId: in the file
  std::vector<Shaped> now_;   // with the inputs that are asked for
};

}  // namespace

Result<Network> with_shapes(Network network, const File& file, const TfliteOptions& options) {
  if (options.shapes.empty() && options.sizes.empty()) return network;
  return ShapeWalk(std::move(network), file).walk(options);
}

}  // namespace berth::tflite
