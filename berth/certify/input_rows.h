#pragma once

#include <optional>
#include <string>

#include "berth/ir/plan.h"

namespace berth {

// The first thing in which a sound plan is not one for its input, in words. `rows` is the input as
// a plan: what must be placed and how, what is kept apart and why, the devices, what the executor
// must keep; its places and figures mean nothing.
//
// Nothing that the plan says of its own question is believed: each buffer has the bytes, the life,
// the gaps, the device, the skew and the fixed place of its row, and no buffer lacks one. An
// alignment or a unit may be stricter than the row's. Of a plan on a target the arenas of `rows`
// are chips, and each memory of a chip is one of the plan's. O(n log n).
std::optional<std::string> find_mismatch(const Plan& plan, const Plan& rows);

}  // namespace berth
