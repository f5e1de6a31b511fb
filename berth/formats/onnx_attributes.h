#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/formats/onnx_types.h"
#include "berth/ir/model_graph.h"

namespace berth::onnx {

namespace schema {
class Function;
class Graph;
class Node;
}  // namespace schema

// The attributes of a node but for its bodies. One that stands for an attribute of the function
// around it is found in `given`, or left out.
OrReason<std::vector<ModelAttribute>> read_attributes(const schema::Node& node,
                                                      const std::vector<ModelAttribute>& given);

std::vector<std::pair<std::string, const schema::Graph*>> bodies_of(const schema::Node& node);

// What a function's nodes may refer to: the caller's attributes, and the defaults of others.
std::vector<ModelAttribute> given_to(const schema::Function& function,
                                     std::vector<ModelAttribute> by_caller);

// What a Constant node stands for.
OrReason<ConstantTensor> constant_of(const ModelNode& node);

}  // namespace berth::onnx
