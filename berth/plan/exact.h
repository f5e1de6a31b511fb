#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "berth/plan/board.h"
#include "berth/plan/candidate.h"
#include "berth/plan/deadline.h"
#include "berth/plan/problem.h"

namespace berth {

struct ExactOptions {
  std::uint64_t most_nodes = 0;  // in all
  std::uint64_t seed = 0;
  std::size_t most_cells = 1'000'000;  // larger boards are not tried
  Shortcuts shortcuts;
  Deadline deadline{};
  // Called whenever the best or the bound (both in bytes) or a round's end says something new.
  std::function<void(std::uint64_t best, std::uint64_t bound, std::uint64_t nodes)> on_progress{};
};

inline constexpr std::string_view kExactName = "exact";

// Narrows the span between what is known to be needed and what is known to do, from `start`, until
// the two meet (the candidate's peak is its lower bound, proved) or the nodes run out, or the
// deadline passes (which cuts it); then the best place found so far and the best bound. The start
// comes back where nothing is better.
//
// Capacities are tried one at a time, each by several strategies in turn: the bound itself first
// and most, since real networks often meet it, then a little above it, where a tight capacity
// still prunes well, then the middle, then just below the best. In each round they get half as
// many nodes again. Where the device is limited, that capacity comes before all others: once it is
// refused the search ends, and once it is met an eighth of what is left goes into less.
Candidate improve_exactly(const Problem& problem, Candidate start, const ExactOptions& options);

}  // namespace berth
