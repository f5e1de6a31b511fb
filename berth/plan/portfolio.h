#pragma once

#include <cstdint>

#include "berth/plan/candidate.h"
#include "berth/plan/deadline.h"
#include "berth/plan/problem.h"

namespace berth {

// Tries one greedy order and fit after another, those that most often win first, and the squeaky
// wheel; keeps the lowest peak, the earlier of equals. A large instance, for which the effort is
// but a few attempts, begins with the squeaky wheel. Stops where the peak meets the lower bound,
// where the next attempt would spend more than `effort` nodes in all, or where the time is over;
// the first attempt is always made. As many rules as threads are tried at once, and those behind
// the end are forgotten: the answer is the same for any number of them.
Candidate best_of_portfolio(const Problem& problem, std::uint64_t effort,
                            const Deadline& deadline = {}, std::size_t threads = 1);

}  // namespace berth
