#include "berth/certify/arena_coverage.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_runs.h"
#include "berth/certify/arena_words.h"

namespace berth {
namespace {

struct CountInstances {
  static bool begin(std::uint64_t /*instance*/, LaunchId /*first*/) { return true; }
  static void repeat(std::uint64_t /*from*/, std::uint64_t /*instances*/) {}
};

void count_words_in_windows(Stretches windows, const LaunchSchedule& schedule,
                            ArenaCoverage& coverage) {
  if (windows.empty()) return;
  auto extent_of = schedule.extents().begin();  // the next
  const AddressRange extent = {windows.front().lower, windows.back().upper};
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const LaunchId launch(i);
    const auto words = schedule.words(launch);
    const bool repeats = schedule.repeat_of(launch) != nullptr;
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      const bool may_be_in = repeats || extent.contains(words[word]);
      const bool is_in =
          may_be_in && is_ever_in(windows, repeats ? motion_of(schedule, launch, word)
                                                   : WordMotion{.base = words[word], .values = {}});
      const bool has_extent = extent_of != schedule.extents().end() && extent_of->launch == i &&
                              extent_of->word == word;
      coverage.words_in_windows += is_in ? 1 : 0;
      coverage.with_extents += is_in && has_extent ? 1 : 0;
      extent_of += has_extent ? 1 : 0;
    }
  }
}

void look_at(const PlaneTable& planes, Stretches windows, const RangeId& id,
             ArenaCoverage& coverage) {
  const AddressRange extent = planes[id].extent();
  const AddressRange* window = first_from(windows, extent.lower);
  if (planes[id].name.empty()) ++coverage.anonymous;
  if (window == nullptr || !window->covers(extent)) coverage.outside.push_back(id);
}

// By phase of the schedule. Counts the queues of the launches that are run.
std::vector<bool> phases_that_run(const LaunchSchedule& schedule, ArenaCoverage& coverage) {
  std::vector<std::int64_t> begun(schedule.size() + 1);  // submissions, less those that end there
  for (const auto& [first, count] : schedule.submissions()) {
    ++begun[first];
    --begun[first + count];
  }
  std::vector<bool> phases(schedule.phases().size());
  std::vector<bool> queues(std::max<std::size_t>(schedule.queues().size(), 1));
  std::int64_t running = 0;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    running += begun[i];
    if (running == 0) continue;
    phases[schedule.phase_of(LaunchId(i))] = true;
    queues[schedule.queue_of(LaunchId(i))] = true;
  }
  for (std::size_t i = 0; i < queues.size(); ++i) {
    if (!queues[i]) continue;
    ++coverage.queues;
    const bool is_in_order = schedule.queues().empty() || schedule.queues()[i].in_order;
    coverage.in_order = coverage.in_order && is_in_order && coverage.queues == 1;
  }
  return phases;
}

// How many addresses two of these have in common, or more do.
WideAddress taken_twice(std::vector<AddressRange> tensors) {
  std::ranges::sort(tensors, {}, &AddressRange::lower);
  WideAddress once = 0;   // what is taken up to here
  WideAddress twice = 0;  // what is counted up to here
  WideAddress shared = 0;
  for (const AddressRange& tensor : tensors) {
    const WideAddress from = std::max(tensor.lower, twice);
    const WideAddress to = std::min(tensor.upper, once);
    if (from < to) {
      shared += to - from;
      twice = to;
    }
    once = std::max(once, tensor.upper);
  }
  return shared;
}

void look_at_planes(const PlaneTable& planes, const LaunchSchedule& schedule,
                    const std::vector<bool>& run, ArenaCoverage& coverage) {
  std::vector<const NamedRange*> tensors;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto phase = run[i] ? planes.find(schedule.phases()[i]) : std::nullopt;
    if (!phase) continue;
    for (const Plane& plane : planes[*phase].planes) tensors.push_back(&plane.range);
  }
  coverage.planes = tensors.size();
  // One that several phases name is one.
  const auto identity = [](const NamedRange* range) {
    return std::tie(range->address, range->bytes, range->name);
  };
  std::ranges::sort(tensors, {}, identity);
  const auto again = std::ranges::unique(tensors, {}, identity);
  tensors.erase(again.begin(), again.end());
  std::vector<AddressRange> places;
  places.reserve(tensors.size());
  for (const NamedRange* range : tensors) places.push_back(range->extent());
  coverage.shared_bytes = taken_twice(std::move(places));
}

}  // namespace

ArenaCoverage arena_coverage(const PlaneTable& planes, const LaunchSchedule& schedule) {
  CountInstances visitor;
  InstanceWalk walk(schedule, visitor);
  walk.run();
  const std::vector<AddressRange> windows = merged(planes.windows());
  ArenaCoverage coverage{.launches = schedule.size(),
                         .executed = schedule.executed(),
                         .instances = walk.instances(),
                         .words = schedule.word_count()};
  count_words_in_windows(windows, schedule, coverage);
  for (std::uint32_t i = 0; i < planes.globals().size(); ++i) {
    look_at(planes, windows, {std::nullopt, i}, coverage);
  }
  for (std::size_t phase = 0; phase < planes.phases().size(); ++phase) {
    for (std::uint32_t i = 0; i < planes[PhaseId(phase)].planes.size(); ++i) {
      look_at(planes, windows, {PhaseId(phase), i}, coverage);
    }
  }
  const std::vector<bool> run = phases_that_run(schedule, coverage);
  look_at_planes(planes, schedule, run, coverage);
  return coverage;
}

}  // namespace berth
