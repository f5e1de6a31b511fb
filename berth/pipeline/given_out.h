#pragma once

#include <optional>
#include <span>
#include <string>

#include "berth/ir/plan.h"

namespace berth {

// What is wrong with a sound plan that lets a buffer take over bytes of a value that is given out,
// which is read when the last step is over; nothing if none does. `outputs` name such values; those
// that the plan does not place are left out. O(n log n).
std::optional<std::string> find_taken_output(const Plan& plan,
                                             std::span<const std::string> outputs);

}  // namespace berth
