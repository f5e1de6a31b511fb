#pragma once

#include <optional>
#include <string>

#include "berth/ir/model_graph.h"

namespace berth {

// The operators of the standard that run bodies, and what they pass to them.
enum class Control { If, Loop, Scan, Other };

Control control_of(const ModelNode& node);

// Of these, what a body takes is what the node's operands are.
inline bool is_known_control(const ModelNode& node) {
  return control_of(node) != Control::Other;
}

// How many values a Loop or a Scan carries from turn to turn, after the operands and the body's
// inputs and outputs that come before them; and what else goes in and out each turn.
struct CarriedValues {
  std::size_t count = 0;
  std::size_t operand = 0;      // the first of the node's operands
  std::size_t body_input = 0;   // the first of the body's inputs
  std::size_t body_output = 0;  // the first of the body's outputs
  std::size_t scanned = 0;      // operands behind them, of which each turn takes a slice
};
CarriedValues carried_values(const ModelNode& node);

// Why the node and its bodies do not go together: the numbers of values that they pass.
std::optional<std::string> find_passing_fault(const ModelGraph& graph, const ModelNode& node);

}  // namespace berth
