#include "berth/model/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "berth/ir/tensor_size.h"
#include "berth/model/clock.h"
#include "berth/model/constants.h"
#include "berth/model/infer.h"
#include "berth/model/sharing.h"
#include "berth/model/states.h"

namespace berth {
namespace {

Result<Bytes> bytes_of(const ModelGraph& graph, std::size_t index, const Fact& fact) {
  if (!is_sized(fact)) return Bytes(0);
  std::vector<std::uint64_t> dims;
  for (const Dim& dim : *fact.shape) dims.push_back(*dim);
  const auto bytes = tensor_bytes(dims, fact.element->bits());
  if (bytes) return *bytes;
  return input_error(fmt::format("{}: value '{}'", graph.file, graph.values[index].name),
                     fmt::format("shape {} of {} needs {} bytes, more than 64 bits hold",
                                 text_of(fact.shape), fact.element->name(), bytes.error()));
}

// Its dimensions, element by element. Nothing where elements share bytes, or a size is open.
std::optional<TileLayout> layout_of(const Fact& fact) {
  if (!is_sized(fact) || fact.element->bits() % 8 != 0) return std::nullopt;
  TileLayout layout;
  for (const Dim& dim : *fact.shape) layout.dims.push_back(*dim);
  layout.tile.assign(layout.dims.size(), 1);
  layout.tile_bytes = Bytes(fact.element->bits() / 8);
  return layout;
}

Result<std::vector<Tensor>> tensors_of(const ModelGraph& graph, const ModelFacts& facts,
                                       const std::vector<bool>& constants) {
  std::vector<Tensor> tensors;
  tensors.reserve(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto bytes = bytes_of(graph, i, facts.facts[i]);
    if (!bytes) return tl::unexpected(bytes.error());
    Tensor tensor;
    tensor.name = graph.values[i].name;
    tensor.kind = constants[i] ? TensorKind::Weight : TensorKind::Intermediate;
    tensor.bytes = *bytes;
    tensor.dynamic = !constants[i] && !is_sized(facts.facts[i]);
    tensor.layout = layout_of(facts.facts[i]);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void mark_ends(const ModelBlock& main, std::vector<Tensor>& tensors) {
  const auto mark = [&](TensorId id, TensorKind kind) {
    TensorKind& marked = tensors[id.index()].kind;
    if (marked == TensorKind::Intermediate) marked = kind;
  };
  for (const TensorId input : main.inputs) mark(input, TensorKind::Input);
  for (const TensorId output : main.outputs) mark(output, TensorKind::Output);
}

// What stays in a branch that never runs is touched by no step; its sizes are not asked for.
std::string range_text(const Bindings& bindings) {
  std::string text;
  for (const auto& [name, range] : bindings.symbols) {
    if (!range.is_open()) continue;
    text += fmt::format("{}{}={} (of {}..{})", text.empty() ? "" : ", ", name, range.most,
                        range.least, range.most);
  }
  return text;
}

// Sizes that fall as a bound size grows are largest at the other end, and a branch may have sizes
// at that end alone.
Result<std::size_t> take_larger_sizes(const ModelGraph& graph, const ModelFacts& most,
                                      const ModelFacts& least, std::vector<Tensor>& tensors) {
  std::size_t larger = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto bytes = bytes_of(graph, i, least.facts[i]);
    if (!bytes) return tl::unexpected(bytes.error());
    const bool is_only_there = most.facts[i] == Fact() && is_sized(least.facts[i]);
    if (is_only_there) tensors[i].dynamic = false;
    if (tensors[i].dynamic || *bytes <= tensors[i].bytes) continue;
    tensors[i].bytes = *bytes;
    tensors[i].layout = layout_of(least.facts[i]);
    ++larger;
  }
  return larger;
}

}  // namespace

Result<ModelProgram> model_program(const ModelGraph& graph, const ModelOptions& options) {
  auto facts = infer_facts(graph, options.bindings, End::Most);
  if (!facts) return tl::unexpected(facts.error());
  const auto constants = constants_of(graph);
  auto tensors = tensors_of(graph, *facts, constants);
  if (!tensors) return tl::unexpected(tensors.error());

  ModelProgram result;
  result.notes = graph.notes;
  result.notes.insert(result.notes.end(), facts->notes.begin(), facts->notes.end());
  if (options.bindings.has_range()) {
    const auto least = infer_facts(graph, options.bindings, End::Least);
    if (!least) return tl::unexpected(least.error());
    const auto larger = take_larger_sizes(graph, *facts, *least, *tensors);
    if (!larger) return tl::unexpected(larger.error());
    result.notes.push_back("planned at the upper bound: " + range_text(options.bindings));
    if (*larger > 0) {
      result.notes.push_back(
          fmt::format("{} tensors are larger at the lower bound, and have that size", *larger));
    }
  }
  const auto states = carried_states(graph, options.states);
  if (!states) return tl::unexpected(states.error());
  auto clock = unfold(graph, *facts, constants, *tensors);

  Program& program = result.program;
  program.name = graph.blocks[0].name;
  program.tensors = *std::move(tensors);
  program.inputs = graph.blocks[0].inputs;
  program.outputs = graph.blocks[0].outputs;
  program.phases = std::move(clock.phases);
  for (const TensorId id : *states) program.tensors[id.index()].kind = TensorKind::State;
  mark_ends(graph.blocks[0], program.tensors);
  if (options.views) add_views(graph, *facts, program.tensors);
  if (options.in_place) permit_reuse(*facts, clock.nodes, program);
  // Where a size is a range, so is the place of what follows.
  if (options.in_place && !options.bindings.has_range()) {
    permit_parts(*facts, clock.nodes, program);
  }
  return result;
}

}  // namespace berth
