#pragma once

#include <cstdint>

#include "tests/support/arenas.h"

// The certificate of an arena once more, by other means: every repeat is unrolled, every range is a
// set of bytes, and every byte knows the tensor that was last declared over it.
namespace berth::oracle {

// The verdict's code, with what extents add: every byte knows too whether its instance has written
// it. Ranges and windows lie in the case's region, unless they wrap. Small cases
// only: each launch that runs is run.
std::uint64_t arena_code(const test::ArenaCase& arena, bool exact);

}  // namespace berth::oracle
