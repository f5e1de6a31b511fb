#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/plan/board.h"
#include "berth/plan/candidate.h"
#include "berth/plan/problem.h"

namespace berth {

struct ExactOptions {
  std::uint64_t most_nodes = 0;  // in all
  std::uint64_t seed = 0;
  std::size_t most_cells = 1'000'000;  // larger boards are not tried
  Shortcuts shortcuts;
};

inline constexpr std::string_view kExactName = "exact";

// Narrows the span between what is known to be needed and what is known to do, from `start`, until
// the two meet (the candidate's peak is its lower bound, proved) or the nodes run out; then the
// best place found so far and the best bound. The start comes back where nothing is better.
//
// Capacities are tried one at a time, each by several strategies in turn: the bound itself first
// and most, since real networks often meet it, then the middle, then just below the best. In each
// round they get half as many nodes again.
Candidate improve_exactly(const Problem& problem, Candidate start, const ExactOptions& options);

}  // namespace berth
