#include "berth/plan/fixed.h"

#include <algorithm>
#include <cassert>

#include "berth/plan/occupancy.h"

namespace berth {
namespace {

template <typename T>
HalfOpen<T> shared(const HalfOpen<T>& a, const HalfOpen<T>& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

ByteRange moved(const ByteRange& bytes, Offset place) {
  return {bytes.lower + place.value(), bytes.upper + place.value()};
}

// The earliest bytes in time that both hold.
std::optional<FixedClash> clash_of(const Instance& instance, BufferId first, BufferId second) {
  for (const Section& a : instance.sections(first)) {
    for (const Section& b : instance.sections(second)) {
      const auto bytes =
          shared(moved(a.bytes, *instance[first].fixed), moved(b.bytes, *instance[second].fixed));
      const auto steps = shared(a.steps, b.steps);
      if (!bytes.empty() && !steps.empty()) return FixedClash{first, second, bytes, steps};
    }
  }
  return std::nullopt;
}

// The one among the tasks before `last` that it meets.
FixedClash first_clash_with(const Instance& instance, const Problem& problem, const Task& last) {
  for (const Task& earlier : problem.tasks()) {
    if (!earlier.fixed) continue;
    if (const auto clash = clash_of(instance, earlier.buffer, last.buffer)) return *clash;
  }
  assert(false && "the occupancy saw a clash that no pair has");
  __builtin_unreachable();
}

std::optional<Infeasible> find_fault(const Instance& instance, const Problem& problem) {
  Occupancy occupancy(problem.slot_count());
  for (const Task& task : problem.tasks()) {
    if (!task.fixed) continue;
    if (task.align_up(*task.fixed) != *task.fixed) {
      return Infeasible{FixedMisaligned{task.buffer, instance.alignment(task.buffer)}};
    }
    const auto rects = problem.rects(task);
    if (FreePlaces(occupancy, task, rects).at_or_above(*task.fixed) != *task.fixed) {
      return Infeasible{first_clash_with(instance, problem, task)};
    }
    occupancy.add(rects, *task.fixed);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Infeasible> find_fixed_fault(const Instance& instance,
                                           std::span<const Problem> problems) {
  for (const Problem& problem : problems) {
    if (auto fault = find_fault(instance, problem)) return fault;
  }
  return std::nullopt;
}

}  // namespace berth
