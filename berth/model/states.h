#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"

namespace berth {

// The inputs and outputs of the model that are one state, carried from run to run: those that are
// asked for, and those whose names say it: past_key_values.0.key and present.0.key, past_3 and
// present_3. Refuses names that are no input, or no output.
Result<std::vector<TensorId>> carried_states(
    const ModelGraph& graph, const std::vector<std::pair<std::string, std::string>>& asked);

}  // namespace berth
