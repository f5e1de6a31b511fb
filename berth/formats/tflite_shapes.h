#pragma once

#include "berth/base/result.h"
#include "berth/formats/tflite.h"
#include "berth/formats/tflite_file.h"
#include "berth/formats/tflite_graph.h"

namespace berth::tflite {

// The network with its inputs of these shapes, carried through the operators and the subgraphs that
// they run. Each rule is first held against what the file says of its own shapes, where the
// converter left nothing open, so that a rule that would be wrong is no rule.
//
// Refuses a name that no input has, a dimension that the input does not leave open or does not
// have, and by name the first operator whose results would change and that has no rule, or whose
// rule says otherwise than the file. O(operands).
Result<Network> with_shapes(Network network, const File& file, const TfliteOptions& options);

}  // namespace berth::tflite
