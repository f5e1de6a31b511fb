#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/ir/op_graph.h"

namespace berth {

// What makes a node well formed; OpGraph::add asks before it takes one in.

// Why the op's sources or attributes do not fit its kind; `where` names the field.
std::optional<Error> find_source_fault(const OpGraph& graph, const Op& op);

// What the op names if it is storage or a view (as node `id`), else nothing. Refuses a view past
// the end of what it views, and sizes past 64 bits. The sources have passed find_source_fault.
Result<std::optional<View>> view_of_op(const OpGraph& graph, OpId id, const Op& op);

}  // namespace berth
