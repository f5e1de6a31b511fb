#include "berth/model/program.h"

#include <optional>
#include <utility>

#include "berth/model/clock.h"
#include "berth/model/constants.h"
#include "berth/model/copies.h"
#include "berth/model/graph_tensors.h"
#include "berth/model/infer.h"
#include "berth/model/range_sizes.h"
#include "berth/model/sharing.h"
#include "berth/model/states.h"

namespace berth {
namespace {

void mark_ends(const ModelBlock& main, std::vector<Tensor>& tensors) {
  const auto mark = [&](TensorId id, TensorKind kind) {
    TensorKind& marked = tensors[id.index()].kind;
    if (marked == TensorKind::Intermediate) marked = kind;
  };
  for (const TensorId input : main.inputs) mark(input, TensorKind::Input);
  for (const TensorId output : main.outputs) mark(output, TensorKind::Output);
}

}  // namespace

Result<ModelProgram> model_program(const ModelGraph& graph, const ModelOptions& options) {
  auto facts = infer_facts(graph, options.bindings, End::Most);
  if (!facts) return tl::unexpected(facts.error());
  const auto constants = constants_of(graph);
  auto tensors = tensors_of(graph, *facts, constants);
  if (!tensors) return tl::unexpected(tensors.error());
  TakeOvers pairs;
  if (options.in_place) pairs = take_overs(graph, *facts);

  ModelProgram result;
  result.notes = graph.notes;
  result.notes.insert(result.notes.end(), facts->notes.begin(), facts->notes.end());
  if (options.bindings.has_range()) {
    auto notes = settle_range(graph, options.bindings, *facts, *tensors, pairs);
    if (!notes) return tl::unexpected(notes.error());
    result.notes.insert(result.notes.end(), notes->begin(), notes->end());
  }
  if (auto error = settle_copies(graph, *facts, options.bindings, *tensors)) {
    return tl::unexpected(std::move(*error));
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
  if (options.in_place) permit_reuse(pairs, clock.nodes, program);
  // Where a size is a range, so is the place of what follows.
  if (options.in_place && !options.bindings.has_range()) {
    permit_parts(*facts, clock.nodes, program);
  }
  return result;
}

}  // namespace berth
