#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "berth/base/result.h"
#include "berth/formats/tflite_graph.h"
#include "berth/ir/program.h"

namespace berth::tflite {

// All subgraphs on one clock.
//
// A step of the clock is an operator of the main subgraph, or of a subgraph that is being run for
// one: the steps of a callee stand in the place of the call. The runtime copies values in and out,
// and each copy is a step of its own ("enter", "exit"), so that a callee's inputs have bytes from
// its entry and its outputs to its exit, read or not. The branches of an IF follow each other,
// though only one runs: their tensors may share bytes, and the lives of what outlives the call are
// those of either run. A loop stands once:
//
//   WHILE/cond/enter   reads the operands; writes the condition's inputs and the results, which
//                      carry the values from turn to turn
//   WHILE/cond/...
//   WHILE/body/enter   reads the flag, the operands and the carried values; writes the body's
//   inputs WHILE/body/... WHILE/body/exit    reads the body's outputs; writes the results
//
// The results live from the first of these steps to the last, so the turn after finds them; nothing
// of the callees is read in a turn before that turn has written it.
struct Clock {
  std::vector<Phase> phases;
  std::vector<const Node*> nodes;  // by phase: whose step it is; null for a copy
};

// Refuses calls that go round in a circle, that pass another number of values than the callee
// takes or gives, that copy between values of unequal bytes, and those that unfold to more than
// 10,000,000 steps, 50,000,000 accesses or 1 GiB of step names. Subgraphs that the main one does
// not reach have no steps. The network must outlive the clock. O(steps + operands); no recursion.
Result<Clock> unfold_calls(const Network& network);

}  // namespace berth::tflite
