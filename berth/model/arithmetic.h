#pragma once

#include <optional>
#include <string_view>

#include "berth/model/rule.h"

namespace berth {

// The elements of an element-wise operator's result, whose type and shape are known already.
// Nothing where the operands' are not known, or the operator is not followed.
std::optional<Numbers> computed(const Call& call, const Fact& result);

}  // namespace berth
