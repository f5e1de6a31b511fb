#pragma once

#include <vector>

#include "berth/ir/model_graph.h"

namespace berth {

// By TensorId: the data is in the file, or follows from such data alone by operators that do
// nothing but compute: weights, whatever the input is. O(operands).
std::vector<bool> constants_of(const ModelGraph& graph);

// All of whose results are such.
bool is_folded(const ModelNode& node, const std::vector<bool>& constants);

}  // namespace berth
