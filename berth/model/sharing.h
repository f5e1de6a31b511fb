#pragma once

#include <utility>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/infer.h"

namespace berth {

// Results of Reshape, Squeeze, Unsqueeze, Flatten and Identity become views of their operands. No
// chain of views leads from what a block is given to what it gives: the caller may fill the one
// while it holds the other.
void add_views(const ModelGraph& graph, const ModelFacts& facts, std::vector<Tensor>& tensors);

// An operand and a result of an element-wise operator, which are of one shape and type: the one may
// be written over the other. In ascending order.
using TakeOvers = std::vector<std::pair<TensorId, TensorId>>;

TakeOvers take_overs(const ModelGraph& graph, const ModelFacts& facts);

// Drops those that are not of one shape and type here too.
void keep_take_overs(const ModelFacts& facts, TakeOvers& pairs);

// Drops all but those whose shapes are equal whatever the open sizes are. `open`: what is known of
// all of a range.
void keep_sure_take_overs(const ModelGraph& graph, const ModelFacts& open, TakeOvers& pairs);

// Of several operands, the first that dies there, as the others cannot be granted. `nodes`: by
// phase, whose step it is.
void permit_reuse(const TakeOvers& pairs, const std::vector<const ModelNode*>& nodes,
                  Program& program);

// The operands of a Concat may be written straight to their place in its result, where each of them
// is one stretch of its bytes: all dimensions before its axis are 1.
void permit_parts(const ModelFacts& facts, const std::vector<const ModelNode*>& nodes,
                  Program& program);

}  // namespace berth
