#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/ir/plan.h"

namespace berth {

// The first buffer of a sound plan that does not live as its row says, in words. `row_of`: by
// buffer of the plan, the index of its row in `rows`; `storage`: storage_of(plan).
//
// A buffer lives and has gaps exactly as its row does, except one of which others are parts by the
// plan alone: it holds, from the first step to the last in which it or a part of it does, all bytes
// from the lowest held to the highest. O(n log n).
std::optional<std::string> find_other_life(const Plan& plan, const Plan& rows,
                                           const std::vector<std::size_t>& row_of,
                                           const std::vector<std::size_t>& storage);

}  // namespace berth
