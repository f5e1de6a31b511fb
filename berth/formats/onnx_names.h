#pragma once

#include <vector>

#include "berth/formats/onnx_order.h"
#include "onnx_schema.pb.h"

namespace berth::onnx {

// By node, the names that it reads and writes; those that its bodies read from around them are read
// by the node.
std::vector<NodeNames> names_of(const google::protobuf::RepeatedPtrField<schema::Node>& nodes);

}  // namespace berth::onnx
