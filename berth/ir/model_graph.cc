#include "berth/ir/model_graph.h"

namespace berth {

const ModelAttribute::Payload* ModelNode::attribute(std::string_view wanted) const {
  for (const ModelAttribute& attribute : attributes) {
    if (attribute.name == wanted) return &attribute.value;
  }
  return nullptr;
}

std::string title_of(const ModelNode& node) {
  std::string title = node.domain.empty() ? node.op : node.domain + "." + node.op;
  if (!node.name.empty()) title += " '" + node.name + "'";
  return title;
}

}  // namespace berth
