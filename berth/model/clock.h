#pragma once

#include <span>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/infer.h"

namespace berth {

// All blocks on one clock.
//
// A step is a node; the steps of a body stand in the place of the node that runs it, between steps
// that copy values in and out, so that what lives across the node stays off everything inside:
//
//   If/then_branch/enter   reads the condition
//   If/then_branch/...
//   If/then_branch/exit    reads the branch's outputs; writes the node's
//   If/else_branch/...     likewise; only one of them runs, so their values may share bytes
//
//   Loop/enter             reads the operands; writes the results, which carry the values from turn
//                          to turn
//   Loop/body/enter        reads the results and what each turn takes a slice of; writes the inputs
//   Loop/body/...
//   Loop/body/exit         reads the body's outputs, and again all that the body read from around
//                          it, since the next turn will; writes the results
//
// A carried value that nobody reads behind the loop has no result to be carried in: its input lives
// through the turn instead. What an operator does with its bodies that we know nothing of is taken
// for such a loop.
struct ModelClock {
  std::vector<Phase> phases;
  std::vector<const ModelNode*> nodes;  // by phase: whose step it is; null for a copy
};

// An access moves all of its tensor, as `tensors` say it; a node that selects rows or a slice moves
// no more of an operand than it gives; what a loop only keeps for its next turn is not moved. A
// body's steps are counted for one turn.
//
// `constants`: by TensorId; nodes that give nothing else have no step. The graph must outlive the
// clock. O(operands x nesting); no recursion.
ModelClock unfold(const ModelGraph& graph, const ModelFacts& facts,
                  const std::vector<bool>& constants, std::span<const Tensor> tensors);

}  // namespace berth
