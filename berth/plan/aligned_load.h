#pragma once

#include <cstdint>

#include "berth/plan/problem.h"

namespace berth {

// The most bytes that alignment alone lets the tasks of some slot take. Of those whose places are
// multiples of some A, one begins at least round_up(extent, A) after the one below it, and only the
// topmost need not be followed by what is lost to that:
//
//   A = 8, extents 6 and 5:   | 6 bytes . . | 5 bytes     -> 13, where their sum is 11
//
// So no placement's peak is lower than the largest sum of round_up(extent, A), less the largest
// remainder, over all slots and all A that are somebody's alignment. Tasks count where they are
// whole. O(n log n) for each A that does not divide the extents; never less than 0.
std::uint64_t aligned_load(const Problem& problem);

}  // namespace berth
