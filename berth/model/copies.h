#pragma once

#include <optional>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/bindings.h"
#include "berth/model/infer.h"

namespace berth {

// What is copied at the entrance and the exit of a body has the bytes that it is copied to: where
// the two are not of one size (a branch that is for other sizes of a range, a carried value whose
// inner shape a person gave), the smaller one is made as large. Refuses a result that a person
// gave a smaller shape than a body gives it. What is dynamic stays so. O(values that are passed).
std::optional<Error> settle_copies(const ModelGraph& graph, const ModelFacts& facts,
                                   const Bindings& bindings, std::vector<Tensor>& tensors);

}  // namespace berth
