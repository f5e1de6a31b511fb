#pragma once

#include <string>
#include <vector>

#include "berth/plan/candidate.h"
#include "berth/plan/order.h"
#include "berth/plan/problem.h"

namespace berth {

// Which of its free places a task takes.
enum class Fit {
  First,  // the lowest
  Best,   // the one with the least room above it, within the arena so far; the lower of equals
};

// A greedy packer places fixed tasks where they must be and then the others one by one in an order,
// each at a free place, never moving one again. A hint is taken where it is aligned and free and
// takes the arena no higher than its lower bound, what is placed already, or the first fit would.
struct GreedyRule {
  Order order;
  Fit fit = Fit::First;

  friend bool operator==(const GreedyRule&, const GreedyRule&) = default;
};

// "greedy:size:first".
std::string name(GreedyRule rule);
std::vector<GreedyRule> all_greedy_rules();

// The fixed tasks must not clash (`find_fixed_fault`).
Candidate pack_greedily(const Problem& problem, GreedyRule rule);

}  // namespace berth
