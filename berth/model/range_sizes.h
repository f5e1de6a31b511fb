#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/bindings.h"
#include "berth/model/infer.h"
#include "berth/model/sharing.h"

namespace berth {

// What holds over a whole range of sizes, not at its greatest end alone: each tensor has the
// largest of its sizes, one whose size only the run decides somewhere is dynamic, and only what is
// of one shape everywhere may take over bytes.
//
// All points are tried where they are few enough for the model, and the sizes of others are found
// at some of them: a note says at how many. A size between the ends that the model cannot run with
// is passed over, with a note. `tensors` and `pairs` are those of the greatest end, `facts`, and
// are changed; gives the notes.
Result<std::vector<std::string>> settle_range(const ModelGraph& graph, const Bindings& bindings,
                                              const ModelFacts& facts, std::vector<Tensor>& tensors,
                                              TakeOvers& pairs);

}  // namespace berth
