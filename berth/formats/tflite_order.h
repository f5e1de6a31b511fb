#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/formats/tflite_graph.h"

namespace berth::tflite {

// Each tensor has one writer (an operator, or the caller of its subgraph), which comes before every
// reader; a constant has none. So a tensor holds one value a run, and the steps that touch it bound
// its life. Variables are exempt: they keep what any operator last wrote. So are tensors of no
// bytes, and operands of custom operators that nothing writes: those are the operator's own
// scratch, which the runtime gives it.
//
// The first place where that does not hold, with the tensor and its writers. O(operands).
std::optional<Error> find_order_fault(const Network& network);

// The network without the nodes that a runtime runs but once, whose results become constants:
// weights that are stored sparse or in half precision and unpacked by a chain of operators. Any
// other operator on constants runs each time, into the arena. O(operands).
Network fold_constants(Network network);

}  // namespace berth::tflite
