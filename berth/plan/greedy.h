#pragma once

#include <string>
#include <vector>

#include "berth/plan/candidate.h"
#include "berth/plan/deadline.h"
#include "berth/plan/order.h"
#include "berth/plan/placer.h"
#include "berth/plan/problem.h"

namespace berth {

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

// The fixed tasks must not clash (`find_fixed_fault`). What is left when the time is over is
// stacked on top of everything.
Candidate pack_greedily(const Problem& problem, GreedyRule rule, const Deadline& deadline = {});

}  // namespace berth
