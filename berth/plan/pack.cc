#include "berth/plan/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "berth/plan/candidate.h"
#include "berth/plan/exact.h"
#include "berth/plan/figures.h"
#include "berth/plan/fixed.h"
#include "berth/plan/greedy.h"
#include "berth/plan/portfolio.h"
#include "berth/plan/problem.h"
#include "berth/plan/tlsf.h"

namespace berth {
namespace {

using Candidates = std::vector<Candidate>;  // by DeviceId
using Problems = std::span<const Problem>;

// A node of the exact search takes about as long as placing this many tasks greedily.
constexpr std::uint64_t kGreedyNodesToAnExact = 1;

struct Packer {
  std::string name;
  std::function<Result<Candidates>(const Instance&, Problems, const PackOptions&)> pack;
};

// A packer that looks at one device at a time and honours every instance.
template <typename Pack>
Packer per_device(std::string name, Pack pack) {
  return {std::move(name), [pack](const Instance&, Problems problems, const PackOptions& options) {
            Candidates candidates;
            for (const Problem& problem : problems) candidates.push_back(pack(problem, options));
            return Result<Candidates>(std::move(candidates));
          }};
}

Result<Candidates> pack_tlsf(const Instance& instance, Problems problems, const PackOptions&) {
  return place_tlsf(instance).map([&](const Placement& placement) {
    Candidates candidates;
    for (const Problem& problem : problems) {
      Candidate candidate;
      candidate.packer = "tlsf";
      candidate.lower_bound = problem.lower_bound();
      candidate.nodes = problem.tasks().size();
      for (const Task& task : problem.tasks()) {
        candidate.places.push_back(placement.places[task.buffer.index()].value());
      }
      candidates.push_back(std::move(candidate));
    }
    return candidates;
  });
}

bool is_least(const Problem& problem, const Candidate& candidate) {
  return problem.peak(candidate.places) == candidate.lower_bound;
}

// Takes the place of `best` where its peak is lower; the work of both was done in any case.
void offer(const Problem& problem, Candidate& best, Candidate other) {
  const auto nodes = best.nodes + other.nodes;
  if (problem.peak(other.places) < problem.peak(best.places)) best = std::move(other);
  best.nodes = nodes;
}

// What `effort` leaves after `spent`.
std::uint64_t left_of(std::uint64_t effort, std::uint64_t spent) {
  return effort - std::min(effort, spent);
}

Candidate narrowed(const Problem& problem, Candidate start, const PackOptions& options) {
  ExactOptions exact;
  exact.most_nodes = left_of(options.effort, start.nodes) / kGreedyNodesToAnExact;
  exact.seed = options.seed;
  return improve_exactly(problem, std::move(start), exact);
}

// The portfolio; where it misses the bound also the source's own allocator, so that nobody loses by
// leaving that for this (it refuses some instances, on which there is nothing to lose); and then
// the exact search from the best of them.
Result<Candidates> pack_auto(const Instance& instance, Problems problems,
                             const PackOptions& options) {
  Candidates best;
  bool all_least = true;
  for (const Problem& problem : problems) {
    best.push_back(best_of_portfolio(problem, options.effort));
    all_least = all_least && is_least(problem, best.back());
  }
  if (all_least) return best;
  if (auto online = pack_tlsf(instance, problems, options)) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      offer(problems[i], best[i], std::move((*online)[i]));
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    best[i] = narrowed(problems[i], std::move(best[i]), options);
  }
  return best;
}

std::vector<Packer> list_packers() {
  std::vector<Packer> packers;
  packers.push_back({"auto", pack_auto});
  packers.push_back(per_device("exact", [](const Problem& problem, const PackOptions& options) {
    return narrowed(problem, pack_greedily(problem, GreedyRule{}), options);
  }));
  packers.push_back({"tlsf", pack_tlsf});
  packers.push_back(per_device("greedy", [](const Problem& problem, const PackOptions&) {
    return pack_greedily(problem, GreedyRule{});
  }));
  for (const GreedyRule rule : all_greedy_rules()) {
    packers.push_back(per_device(name(rule), [rule](const Problem& problem, const PackOptions&) {
      return pack_greedily(problem, rule);
    }));
  }
  return packers;
}

const std::vector<Packer>& packers() {
  static const std::vector<Packer> all = list_packers();
  return all;
}

// "a" where all devices were packed by a, else "a, b" in the order of the devices.
std::string joined_names(const Candidates& candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    if (std::find(names.begin(), names.end(), candidate.packer) != names.end()) continue;
    names.push_back(candidate.packer);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Packing packing_of(const Instance& instance, Problems problems, const Candidates& candidates) {
  Packing packing;
  packing.placement.places.resize(instance.size());
  for (std::size_t device = 0; device < problems.size(); ++device) {
    const auto tasks = problems[device].tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      packing.placement.places[tasks[i].buffer.index()] = Offset(candidates[device].places[i]);
    }
    packing.nodes += candidates[device].nodes;
  }
  packing.arenas = arena_figures(instance, packing.placement);
  for (std::size_t device = 0; device < problems.size(); ++device) {
    packing.arenas[device].lower_bound = Bytes(candidates[device].lower_bound);
  }
  packing.packer = joined_names(candidates);
  return packing;
}

}  // namespace

std::span<const std::string_view> packer_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> views;
    for (const Packer& packer : packers()) views.push_back(packer.name);
    return views;
  }();
  return names;
}

Result<PackAnswer> pack(const Instance& instance, const PackOptions& options) {
  const auto packer = std::find_if(packers().begin(), packers().end(),
                                   [&](const Packer& p) { return p.name == options.packer; });
  if (packer == packers().end()) {
    return usage_error("packer", fmt::format("'{}' is none of: {}", options.packer,
                                             fmt::join(packer_names(), ", ")));
  }
  const auto problems = Problem::of_each_device(instance);
  if (auto fault = find_fixed_fault(instance, problems)) return *fault;

  const auto candidates = packer->pack(instance, problems, options);
  if (!candidates) return tl::unexpected(candidates.error());
  return packing_of(instance, problems, *candidates);
}

}  // namespace berth
