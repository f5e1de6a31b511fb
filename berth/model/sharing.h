#pragma once

#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/infer.h"

namespace berth {

// Results of Reshape, Squeeze, Unsqueeze, Flatten and Identity become views of their operands. No
// chain of views leads from what a block is given to what it gives: the caller may fill the one
// while it holds the other.
void add_views(const ModelGraph& graph, const ModelFacts& facts, std::vector<Tensor>& tensors);

// Element-wise operators may write over an operand of the same shape and type. Of several, the
// first that dies there, as the others cannot be granted. `nodes`: by phase, whose step it is.
void permit_reuse(const ModelFacts& facts, const std::vector<const ModelNode*>& nodes,
                  Program& program);

// The operands of a Concat may be written straight to their place in its result, where each of them
// is one stretch of its bytes: all dimensions before its axis are 1.
void permit_parts(const ModelFacts& facts, const std::vector<const ModelNode*>& nodes,
                  Program& program);

}  // namespace berth
