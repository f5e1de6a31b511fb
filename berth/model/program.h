#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"
#include "berth/ir/program.h"
#include "berth/model/bindings.h"

namespace berth {

struct ModelOptions {
  Bindings bindings;
  // IN=OUT: an output that is the next run's input. Pairs named past... and present... are found.
  std::vector<std::pair<std::string, std::string>> states;
  // Reshape, Squeeze, Unsqueeze, Flatten and Identity give a view of their operand.
  bool views = false;
  // Element-wise operators may write over an operand that dies there, and what a concatenation
  // joins may be written straight to its place.
  bool in_place = false;
};

struct ModelProgram {
  Program program;
  std::vector<std::string> notes;  // what its reader should know
};

// A model as a program: a step a node (berth/model/clock.h says how bodies stand on the clock), a
// tensor a value, with the same ids. Constants and what follows from them alone are weights;
// carried pairs are states; sequences, and what only the run can size, are dynamic. Where a size
// was bound to a range, each tensor has the larger of its sizes at both ends.
Result<ModelProgram> model_program(const ModelGraph& graph, const ModelOptions& options);

}  // namespace berth
