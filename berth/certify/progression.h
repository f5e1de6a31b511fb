#pragma once

#include <cstdint>
#include <optional>

#include "berth/ir/planes.h"

namespace berth {

// The least t at which step * t, modulo `modulus`, is in [range.lower, range.upper). Nothing if
// there is none. `step` is below the modulus, which is at most 2^64; the range is not empty and
// ends at the modulus at most. O(log modulus), as Euclid's algorithm.
std::optional<std::uint64_t> first_hit(WideAddress step, WideAddress modulus, AddressRange range);

}  // namespace berth
