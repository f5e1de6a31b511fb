#pragma once

#include <optional>
#include <span>

#include "berth/ir/packing.h"
#include "berth/plan/problem.h"

namespace berth {

// Why the fixed places of an instance rule out every placement; nothing if they do not. Buffers are
// taken in their order, so the second of a clash is the first that meets an earlier one.
std::optional<Infeasible> find_fixed_fault(const Instance& instance,
                                           std::span<const Problem> problems);

}  // namespace berth
