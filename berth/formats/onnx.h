#pragma once

#include <string_view>

#include "berth/base/result.h"
#include "berth/ir/model_graph.h"

namespace berth {

// An ONNX model as a graph: docs/formats/onnx.md says what is read and what is refused. Calls of
// the model's own functions are replaced by what the functions hold; Constant nodes become
// constants. Data in other files is never looked at. `file_name` stands in messages. Any bytes give
// a graph or an error.
Result<ModelGraph> read_onnx(std::string_view bytes, std::string_view file_name);

}  // namespace berth
