#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "berth/ir/prices.h"

namespace berth {

// The most that the items save together if only the capacity of this phase counts, in which all of
// them live: that, if it is more than `claimed`, and `claimed` otherwise; or why this proves
// nothing. Item by item every number of times is looked at, but where the price of the phase allows
// no more than what is claimed; of choices so far, one that takes no less room and saves no more
// than another is dropped. At most a million are held at once, and eight million looked at to
// choose them from. `work` grows by the choices looked at.
std::variant<std::uint64_t, std::string> most_in_phase(const Choice& choice,
                                                       const std::vector<std::size_t>& items,
                                                       const PriceNode& leaf, Step phase,
                                                       std::uint64_t claimed, std::uint64_t& work);

}  // namespace berth
