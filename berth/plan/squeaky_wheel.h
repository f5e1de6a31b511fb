#pragma once

#include <cstdint>
#include <string_view>

#include "berth/plan/candidate.h"
#include "berth/plan/deadline.h"
#include "berth/plan/problem.h"

namespace berth {

inline constexpr std::string_view kSqueakyName = "squeaky";

// Greedy packing that learns its order, after "squeaky wheel optimization" (Joslin and Clements):
// what ends above the least arena complains, and goes earlier the next time. A task of large area
// (bytes x time) has few places to go, so areas, in classes, are the order to begin with.
//
// A million tasks cannot all be placed again for the sake of a few. So they come in levels, the
// longest lives first, and what complains is repaired before the next level comes: only the tasks
// that live within a window of time around it are placed again, the others stand where they are.
//
//        bytes  ------------------------------  arena that is aimed at
//               ====   ==!!==    =====           !! complains
//               ========  ==========  ======
//                    [ window )                  the windows grow where that does not help
//
// Spends at most `effort` nodes on repairs, after every task was placed once. Hints are taken and
// fixed tasks stay, as under a greedy rule; the fixed must not clash. Windows apart from one
// another are repaired on as many threads; the answer is the same for any number of them.
Candidate pack_by_squeaky_wheel(const Problem& problem, std::uint64_t effort,
                                const Deadline& deadline = {}, std::size_t threads = 1);

}  // namespace berth
