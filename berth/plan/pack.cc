#include "berth/plan/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "berth/plan/candidate.h"
#include "berth/plan/deadline.h"
#include "berth/plan/exact.h"
#include "berth/plan/figures.h"
#include "berth/plan/fixed.h"
#include "berth/plan/greedy.h"
#include "berth/plan/portfolio.h"
#include "berth/plan/problem.h"
#include "berth/plan/squeaky_wheel.h"
#include "berth/plan/tlsf.h"

namespace berth {
namespace {

using Candidates = std::vector<Candidate>;  // by DeviceId
using Problems = std::span<const Problem>;

// Placing a task greedily takes about as long as this many nodes of the exact search.
constexpr std::uint64_t kExactNodesToAGreedy = 8;

struct Search {
  const PackOptions& options;
  Deadline deadline;
};

struct Packer {
  std::string name;
  std::function<Result<Candidates>(const Instance&, Problems, const Search&)> pack;
};

// A packer that looks at one device at a time and honours every instance.
template <typename Pack>
Packer per_device(std::string name, Pack pack) {
  return {std::move(name), [pack](const Instance&, Problems problems, const Search& search) {
            Candidates candidates;
            for (const Problem& problem : problems) candidates.push_back(pack(problem, search));
            return Result<Candidates>(std::move(candidates));
          }};
}

Result<Candidates> pack_tlsf(const Instance& instance, Problems problems, const Search&) {
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
  const auto cut = best.cut || other.cut;
  if (problem.peak(other.places) < problem.peak(best.places)) best = std::move(other);
  best.nodes = nodes;
  best.cut = cut;
}

// What `effort` leaves after `spent`.
std::uint64_t left_of(std::uint64_t effort, std::uint64_t spent) {
  return effort - std::min(effort, spent);
}

void tell(const Problem& problem, const Candidate& candidate, const Search& search) {
  if (!search.options.on_progress) return;
  search.options.on_progress({problem.device(), Bytes(problem.peak(candidate.places)),
                              Bytes(candidate.lower_bound), candidate.nodes});
}

Candidate narrowed(const Problem& problem, Candidate start, const Search& search) {
  if (start.cut) return start;
  ExactOptions exact;
  const auto spent = start.nodes;
  const auto left = left_of(search.options.effort, spent);
  exact.most_nodes =
      left > UINT64_MAX / kExactNodesToAGreedy ? UINT64_MAX : left * kExactNodesToAGreedy;
  exact.seed = search.options.seed;
  exact.deadline = search.deadline;
  if (search.options.on_progress) {
    exact.on_progress = [&, spent](std::uint64_t best, std::uint64_t bound, std::uint64_t nodes) {
      search.options.on_progress(
          {problem.device(), Bytes(best), Bytes(bound), spent + nodes / kExactNodesToAGreedy});
    };
  }
  Candidate best = improve_exactly(problem, std::move(start), exact);
  best.nodes = spent + (best.nodes - spent) / kExactNodesToAGreedy;
  return best;
}

// The portfolio; where it misses the bound also the source's own allocator, so that nobody loses by
// leaving that for this (it refuses some instances, on which there is nothing to lose); and then
// the exact search from the best of them. Where there is a time limit, that allocator, which takes
// next to no time, has its answer before the portfolio can use the time up.
Result<Candidates> pack_auto(const Instance& instance, Problems problems, const Search& search) {
  std::optional<Result<Candidates>> online;
  if (search.deadline.is_set()) online = pack_tlsf(instance, problems, search);
  Candidates best;
  bool all_least = true;
  for (const Problem& problem : problems) {
    best.push_back(
        best_of_portfolio(problem, search.options.effort, search.deadline, search.options.threads));
    tell(problem, best.back(), search);
    all_least = all_least && is_least(problem, best.back());
  }
  if (all_least) return best;
  if (!online) online = pack_tlsf(instance, problems, search);
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (*online) offer(problems[i], best[i], std::move((**online)[i]));
    best[i] = narrowed(problems[i], std::move(best[i]), search);
  }
  return best;
}

std::vector<Packer> list_packers() {
  std::vector<Packer> packers;
  packers.push_back({"auto", pack_auto});
  packers.push_back(per_device("exact", [](const Problem& problem, const Search& search) {
    return narrowed(problem, pack_greedily(problem, GreedyRule{}, search.deadline), search);
  }));
  packers.push_back(
      per_device(std::string(kSqueakyName), [](const Problem& problem, const Search& search) {
        return pack_by_squeaky_wheel(problem, search.options.effort, search.deadline,
                                     search.options.threads);
      }));
  packers.push_back({"tlsf", pack_tlsf});
  packers.push_back(per_device("greedy", [](const Problem& problem, const Search& search) {
    return pack_greedily(problem, GreedyRule{}, search.deadline);
  }));
  for (const GreedyRule rule : all_greedy_rules()) {
    packers.push_back(per_device(name(rule), [rule](const Problem& problem, const Search& search) {
      return pack_greedily(problem, rule, search.deadline);
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
  // An empty buffer is no task: it stands where its file wants it.
  for (const Buffer& buffer : instance.buffers()) {
    packing.placement.places.push_back(buffer.fixed.value_or(Offset(0)));
  }
  for (std::size_t device = 0; device < problems.size(); ++device) {
    const auto tasks = problems[device].tasks();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      packing.placement.places[tasks[i].buffer.index()] = Offset(candidates[device].places[i]);
    }
    packing.nodes += candidates[device].nodes;
    packing.cut = packing.cut || candidates[device].cut;
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
    return usage_error(
        "--packer", fmt::format("found '{}', which is no packer", options.packer),
        "expected auto, exact, squeaky, tlsf, greedy, or greedy:ORDER:FIT: an order is size, "
        "life, area or start, maybe with congestion- before it and -late behind it; a "
        "fit is first or best");
  }
  const Deadline deadline(options.time_limit, options.interrupt);
  const auto problems = Problem::of_each_device(instance);
  if (auto fault = find_fixed_fault(instance, problems)) return *fault;

  const auto candidates = packer->pack(instance, problems, {options, deadline});
  if (!candidates) return tl::unexpected(candidates.error());
  return packing_of(instance, problems, *candidates);
}

}  // namespace berth
