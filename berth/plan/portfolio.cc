#include "berth/plan/portfolio.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "berth/plan/greedy.h"

namespace berth {
namespace {

using Key = Order::Key;

// Those that found the least arena of real networks, or came closest, lead.
constexpr std::array<GreedyRule, 8> kLeaders = {{
    {{Key::Size, true, true}, Fit::First},
    {{Key::Size, false, false}, Fit::First},
    {{Key::Start, true, true}, Fit::Best},
    {{Key::Size, true, false}, Fit::First},
    {{Key::Area, false, false}, Fit::First},
    {{Key::Start, false, false}, Fit::Best},
    {{Key::Start, false, true}, Fit::First},
    {{Key::Life, true, true}, Fit::First},
}};

std::vector<GreedyRule> attempts() {
  std::vector<GreedyRule> attempts(kLeaders.begin(), kLeaders.end());
  for (const GreedyRule rule : all_greedy_rules()) {
    if (std::find(kLeaders.begin(), kLeaders.end(), rule) == kLeaders.end()) {
      attempts.push_back(rule);
    }
  }
  return attempts;
}

}  // namespace

Candidate best_of_portfolio(const Problem& problem, std::uint64_t effort) {
  Candidate best;
  std::uint64_t best_peak = 0;
  std::uint64_t nodes = 0;
  std::uint64_t work = 0;
  for (const GreedyRule rule : attempts()) {
    const bool is_first = best.packer.empty();
    if (!is_first && problem.tasks().size() > effort - std::min(effort, nodes)) break;
    auto candidate = pack_greedily(problem, rule);
    nodes += candidate.nodes;
    work += candidate.work;
    const auto peak = problem.peak(candidate.places);
    if (is_first || peak < best_peak) {
      best = std::move(candidate);
      best_peak = peak;
    }
    if (best_peak == problem.lower_bound()) break;
  }
  best.nodes = nodes;
  best.work = work;
  return best;
}

}  // namespace berth
