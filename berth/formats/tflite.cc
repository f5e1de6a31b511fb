#include "berth/formats/tflite.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "berth/formats/tflite_calls.h"
#include "berth/formats/tflite_file.h"
#include "berth/formats/tflite_graph.h"
#include "berth/formats/tflite_order.h"
#include "berth/formats/tflite_shapes.h"
#include "berth/formats/tflite_types.h"
#include "berth/ir/last_touches.h"

namespace berth {
namespace {

using tflite::Clock;
using tflite::Graph;
using tflite::Network;
using tflite::Node;
using tflite::Value;

// The bytes of an arena, which the packer may hand to another tensor.
bool is_planned(const Value& value) {
  return !value.constant && !value.variable && !value.dynamic && value.bytes != Bytes(0);
}

TensorKind kind_of(const Value& value) {
  if (value.constant) return TensorKind::Weight;
  return value.variable ? TensorKind::State : TensorKind::Intermediate;
}

// Its dimensions, element by element. Nothing where their size is open.
std::optional<TileLayout> layout_of(const Value& value) {
  const auto element = tflite::element_type(value.type);
  if (value.dynamic || !element || element->bits == 0) return std::nullopt;
  TileLayout layout;
  for (const std::int32_t dim : value.shape) {
    layout.dims.push_back(static_cast<std::uint64_t>(dim));
    layout.tile.push_back(1);
  }
  if (element->bits % 8 != 0) layout.packed_bits = static_cast<unsigned>(element->bits);
  layout.tile_bytes = Bytes(element->bits / 8);
  return layout;
}

std::vector<Tensor> tensors_of(const Network& network) {
  std::vector<Tensor> tensors;
  tensors.reserve(network.values.size());
  for (const Value& value : network.values) {
    Tensor tensor;
    tensor.name = value.name;
    tensor.kind = kind_of(value);
    const bool is_stored = value.constant && value.stored != Bytes(0);
    tensor.bytes = is_stored ? value.stored : value.bytes;
    tensor.dynamic = value.dynamic && !value.constant;
    if (!is_stored || value.stored == value.bytes) tensor.layout = layout_of(value);
    tensors.push_back(std::move(tensor));
  }
  const auto mark = [&](TensorId tensor, TensorKind kind) {
    TensorKind& marked = tensors[tensor.index()].kind;
    if (marked == TensorKind::Intermediate) marked = kind;
  };
  for (const TensorId input : network.graphs[0].inputs) mark(input, TensorKind::Input);
  for (const TensorId output : network.graphs[0].outputs) mark(output, TensorKind::Output);
  return tensors;
}

// The operand that this node's result may be a view of.
std::optional<TensorId> viewed_by(const Node& node, const Network& network) {
  if (!tflite::keeps_bytes(node.code)) return std::nullopt;
  if (node.inputs.empty() || node.outputs.size() != 1) return std::nullopt;
  const Value& operand = network.values[node.inputs[0].index()];
  const Value& result = network.values[node.outputs[0].index()];
  const bool agree = is_planned(operand) && is_planned(result) && operand.bytes == result.bytes;
  return agree ? std::optional(node.inputs[0]) : std::nullopt;
}

// What is given out keeps bytes of its own beside what is given in: the caller may fill the one
// while it holds the other. So no chain of views leads from an input to an output.
void add_views(const Network& network, std::vector<Tensor>& tensors) {
  std::vector<bool> given_in(tensors.size(), false);  // or a view of such a tensor
  std::vector<bool> given_out(tensors.size(), false);
  for (const Graph& graph : network.graphs) {
    for (const TensorId input : graph.inputs) given_in[input.index()] = true;
    for (const TensorId output : graph.outputs) given_out[output.index()] = true;
    for (const Node& node : graph.nodes) {
      const auto operand = viewed_by(node, network);
      if (!operand) continue;
      const TensorId result = node.outputs[0];
      if (given_in[operand->index()] && given_out[result.index()]) continue;
      tensors[result.index()].view_of = TensorView{*operand, Bytes(0)};
      given_in[result.index()] = given_in[operand->index()];
    }
  }
}

// May the result be written over this operand, bytes and shape being what they are?
bool may_take_over(const Value& operand, const Value& result) {
  return is_planned(operand) && is_planned(result) && operand.type == result.type &&
         operand.shape == result.shape;
}

// Of several operands that would do, the first that dies here, as the others cannot be granted.
void permit_reuse(const Node& node, const Network& network, std::size_t step,
                  const std::vector<std::size_t>& last, Phase& phase) {
  if (!tflite::is_elementwise(node.code) || node.outputs.size() != 1) return;
  std::optional<TensorId> chosen;
  for (const TensorId operand : node.inputs) {
    if (!may_take_over(network.values[operand.index()], network.values[node.outputs[0].index()])) {
      continue;
    }
    if (!chosen) chosen = operand;
    if (last[operand.index()] != step) continue;
    chosen = operand;
    break;
  }
  for (TensorAccess& access : phase.accesses) {
    if (access.kind == TensorAccess::Kind::Write) access.reuses = chosen;
  }
}

// Inputs that follow one another in the output byte by byte may be written straight to their place.
void permit_parts(const Node& node, const Network& network, Phase& phase) {
  if (!node.joins_along) return;
  const Value& whole = network.values[node.outputs[0].index()];
  const auto rank = static_cast<std::int64_t>(whole.shape.size());
  const std::int64_t axis = *node.joins_along < 0 ? *node.joins_along + rank : *node.joins_along;
  if (axis < 0 || axis >= rank || !is_planned(whole)) return;
  const auto before = whole.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  if (!std::all_of(whole.shape.begin(), before, [](std::int32_t dim) { return dim == 1; })) return;
  std::map<std::size_t, Bytes> offsets;  // by input, its first place
  Bytes offset;
  for (const TensorId part : node.inputs) {
    const Bytes bytes = network.values[part.index()].bytes;
    if (checked_add(offset, bytes).value_or(Bytes(UINT64_MAX)) > whole.bytes) return;
    offsets.emplace(part.index(), offset);
    offset += bytes;
  }
  if (offset != whole.bytes) return;
  for (TensorAccess& access : phase.accesses) {
    const auto found = offsets.find(access.tensor.index());
    if (access.kind != TensorAccess::Kind::Read || found == offsets.end()) continue;
    access.part_of = TensorView{node.outputs[0], found->second};
  }
}

void add_permissions(const Network& network, const Clock& clock, Program& program) {
  const auto last = last_touches(program);
  for (std::size_t step = 0; step < program.phases.size(); ++step) {
    const Node* node = clock.nodes[step];
    if (node == nullptr) continue;
    permit_reuse(*node, network, step, last, program.phases[step]);
    permit_parts(*node, network, program.phases[step]);
  }
}

// What each access moves: all of its tensor, unless the operator reads but a part of it.
void add_moved_bytes(const Clock& clock, Program& program) {
  for (std::size_t step = 0; step < program.phases.size(); ++step) {
    const Node* node = clock.nodes[step];
    Bytes given;
    for (TensorAccess& access : program.phases[step].accesses) {
      access.bytes = program.tensors[access.tensor.index()].bytes;
      if (access.kind == TensorAccess::Kind::Write) given = std::max(given, access.bytes);
    }
    if (node == nullptr || !tflite::selects(node->code)) continue;
    if (tflite::reads_sizes_alone(node->code)) given = Bytes(0);
    for (TensorAccess& access : program.phases[step].accesses) {
      if (access.kind == TensorAccess::Kind::Read) access.bytes = std::min(access.bytes, given);
    }
  }
}

Result<Network> read_sound_network(std::string_view bytes, std::string_view file_name,
                                   const TfliteOptions& options) {
  const auto file = tflite::File::open(bytes, std::string(file_name));
  if (!file) return tl::unexpected(file.error());
  auto network = tflite::read_network(*file);
  if (!network) return network;
  if (auto fault = tflite::find_order_fault(*network)) return tl::unexpected(std::move(*fault));
  network = tflite::with_shapes(*std::move(network), *file, options);
  if (!network) return network;
  return tflite::fold_constants(std::move(*network));
}

}  // namespace

Result<Program> read_tflite(std::string_view bytes, std::string_view file_name,
                            const TfliteOptions& options) {
  const auto network = read_sound_network(bytes, file_name, options);
  if (!network) return tl::unexpected(network.error());
  auto clock = tflite::unfold_calls(*network);
  if (!clock) return tl::unexpected(clock.error());

  Program program;
  program.name = network->graphs[0].name;
  program.tensors = tensors_of(*network);
  program.phases = std::move(clock->phases);
  program.inputs = network->graphs[0].inputs;
  program.outputs = network->graphs[0].outputs;
  add_moved_bytes(*clock, program);
  if (options.views) add_views(*network, program.tensors);
  if (options.in_place) add_permissions(*network, *clock, program);
  return program;
}

}  // namespace berth
