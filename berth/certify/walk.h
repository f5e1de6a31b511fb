#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// The most that the items save, if it is more than `claimed`, and `claimed` otherwise; or why the
// walk proves nothing. Phase by phase every set of items that fits is looked at, sets with the same
// live items as one, but those that the prices allow no more than what is claimed. Items stay once;
// at most 64 live at a phase and at most a million sets are held at once. Where one phase alone
// decides, none of this is asked: certify/core.h. `work` grows by the sets looked at.
std::variant<std::uint64_t, std::string> most_by_walking(const Choice& choice,
                                                         const std::vector<std::size_t>& items,
                                                         const PriceNode& leaf,
                                                         std::uint64_t claimed,
                                                         std::uint64_t& work);

}  // namespace berth
