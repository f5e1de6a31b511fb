#pragma once

#include <optional>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/infer.h"

namespace berth {

// Nothing known to the byte has 0. Refuses what 64 bits do not hold.
Result<Bytes> bytes_of(const ModelGraph& graph, std::size_t value, const Fact& fact);

// Its dimensions, element by element. Nothing where a size is open.
std::optional<TileLayout> layout_of(const Fact& fact);

// A tensor a value, with the same ids: constants (by TensorId) are weights, and what is not known
// to the byte is dynamic.
Result<std::vector<Tensor>> tensors_of(const ModelGraph& graph, const ModelFacts& facts,
                                       const std::vector<bool>& constants);

}  // namespace berth
