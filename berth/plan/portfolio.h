#pragma once

#include <cstdint>

#include "berth/plan/candidate.h"
#include "berth/plan/problem.h"

namespace berth {

// Tries one greedy order and fit after another, those that most often win first, and keeps the
// lowest peak, the earlier of equals. Stops where the peak meets the lower bound, or where the next
// attempt would spend more than `effort` nodes in all; the first is always made.
Candidate best_of_portfolio(const Problem& problem, std::uint64_t effort);

}  // namespace berth
