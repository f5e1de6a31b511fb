#pragma once

#include <optional>
#include <span>
#include <string>

#include "berth/ir/plan.h"
#include "berth/live/member.h"

namespace berth {

// The first buffer of a sound plan that stands on another's bytes although the input does not say
// that it is, or may be, those bytes; or that does not although the input says so. `input` is the
// input as a plan in which nothing shares that need not. O(n log n), and 64 parts of parts for each
// buffer that takes over.
std::optional<std::string> find_unpermitted(const Plan& plan, const Plan& input,
                                            std::span<const NamedPermission> permissions);

}  // namespace berth
