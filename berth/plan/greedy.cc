#include "berth/plan/greedy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace berth {
namespace {

struct NamedFit {
  std::string_view name;
  Fit fit;
};

constexpr std::array<NamedFit, 2> kFits = {{{"first", Fit::First}, {"best", Fit::Best}}};

}  // namespace

std::string name(GreedyRule rule) {
  const auto fit = std::find_if(kFits.begin(), kFits.end(),
                                [&](const NamedFit& named) { return named.fit == rule.fit; });
  return fmt::format("greedy:{}:{}", name(rule.order), fit->name);
}

std::vector<GreedyRule> all_greedy_rules() {
  std::vector<GreedyRule> rules;
  for (const Order order : all_orders()) {
    for (const NamedFit& fit : kFits) rules.push_back({order, fit.fit});
  }
  return rules;
}

Candidate pack_greedily(const Problem& problem, GreedyRule rule, const Deadline& deadline) {
  Candidate candidate;
  candidate.packer = name(rule);
  candidate.lower_bound = problem.lower_bound();
  candidate.nodes = problem.tasks().size();
  candidate.places.resize(problem.tasks().size());
  Placer placer(problem, rule.fit, candidate.places);
  for (std::uint32_t i = 0; i < problem.tasks().size(); ++i) {
    const auto& fixed = problem.tasks()[i].fixed;
    if (fixed) placer.put(i, *fixed);
  }
  for (const auto index : tasks_in_order(problem, rule.order)) {
    if (problem.tasks()[index].fixed) continue;
    candidate.cut = candidate.cut || deadline.has_passed();
    if (candidate.cut) {
      placer.put_on_top(index);
    } else {
      placer.put_where_free(index);
    }
  }
  candidate.work = placer.work();
  return candidate;
}

}  // namespace berth
