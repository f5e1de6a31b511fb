#include "berth/certify/arena_report.h"

#include <algorithm>
#include <cassert>

#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_runs.h"
#include "berth/certify/arena_words.h"

namespace berth {
namespace {

// The last range that ends at `value` or before, and the first that begins after it.
void find_near(std::span<const PlacedRange> ranges, std::uint64_t value, StrayWordReport& report) {
  const auto above = first_from(ranges, value);
  if (above != ranges.end()) {
    const auto distance = static_cast<std::uint64_t>(above->at.lower - value);
    if (!report.above || distance < report.above->distance) report.above = {above->id, distance};
  }
  if (above != ranges.begin()) {
    const auto& below = *std::prev(above);
    const auto distance = static_cast<std::uint64_t>(value - (below.at.upper - 1));
    if (!report.below || distance < report.below->distance) report.below = {below.id, distance};
  }
}

std::optional<RangeId> find_elsewhere(const ArenaRanges& ranges, std::size_t phases,
                                      std::uint64_t value) {
  for (std::size_t i = 0; i < phases; ++i) {
    const auto planes = ranges.planes(PhaseId(i));
    const auto plane = first_from(planes, value);
    if (plane != planes.end() && plane->at.contains(value)) return plane->id;
  }
  return std::nullopt;
}

WordMotion motion_of(const LaunchSchedule& schedule, const StrayWord& stray) {
  WordMotions motions(schedule, stray.launch);
  for (std::uint32_t word = 0; word < stray.word; ++word) motions.next();
  return motions.next();
}

// Follows one plane through the instances before the one that finds it lost.
class PlaneStory {
 public:
  PlaneStory(const PlaneTable& planes, const LaunchSchedule& schedule, const LostValue& lost)
      : planes_(planes), schedule_(schedule), plane_(planes[lost.plane]), report_{lost, {}, {}} {}

  bool begin(std::uint64_t instance, LaunchId first) {
    if (instance == report_.lost.instance) return false;
    const PhaseId phase = *planes_.find(schedule_.phase(first));
    const auto& planes = planes_[phase].planes;
    for (std::uint32_t i = 0; i < planes.size(); ++i) {
      const Declaration declaration = {instance, first, {phase, i}};
      if (planes[i].range == plane_) {
        report_.declared = declaration;
        report_.overwritten.reset();
      } else if (!report_.overwritten && planes[i].range.extent().overlaps(plane_.extent())) {
        report_.overwritten = declaration;
      }
    }
    return true;
  }
  void repeat(std::uint64_t from, std::uint64_t instances) {
    for (auto* declaration : {&report_.declared, &report_.overwritten}) {
      if (*declaration && (*declaration)->instance >= from) (*declaration)->instance += instances;
    }
  }

  // What was overwritten before it was ever declared is merely not declared.
  LostValueReport report() {
    if (!report_.declared) report_.overwritten.reset();
    return report_;
  }

 private:
  const PlaneTable& planes_;
  const LaunchSchedule& schedule_;
  const NamedRange& plane_;
  LostValueReport report_;
};

struct Reporter {
  const PlaneTable& planes;
  const LaunchSchedule& schedule;

  ArenaReport operator()(const Certified& certified) const { return certified; }
  ArenaReport operator()(const UndeclaredPhase& undeclared) const { return undeclared; }

  ArenaReport operator()(const BadRange& bad) const {
    return BadRangeReport{bad, planes[bad.range].address.value() % planes.alignment()};
  }

  ArenaReport operator()(const SharedRanges& shared) const {
    const AddressRange first = planes[shared.first].extent();
    const AddressRange second = planes[shared.second].extent();
    return SharedRangesReport{
        shared, {std::max(first.lower, second.lower), std::min(first.upper, second.upper)}};
  }

  ArenaReport operator()(const StrayWord& stray) const {
    const auto made = ArenaRanges::make(planes);
    const auto& ranges = std::get<ArenaRanges>(made);
    const PhaseId phase = *planes.find(schedule.phase(stray.launch));
    const WordMotion motion = motion_of(schedule, stray);

    StrayWordReport report{.stray = stray, .iterations = motion.iterations};
    each_interval(motion, [&](AddressRange words) {
      report.interval = words;
      return ranges.allow(phase, words);
    });
    report.iteration = first_stray(ranges, phase, motion);
    report.value = static_cast<std::uint64_t>(report.interval.lower);
    if (!report.iteration) return report;
    report.value = motion.at(*report.iteration);
    find_near(ranges.globals(), report.value, report);
    find_near(ranges.planes(phase), report.value, report);
    report.elsewhere = find_elsewhere(ranges, planes.phases().size(), report.value);
    return report;
  }

  ArenaReport operator()(const LostValue& lost) const {
    PlaneStory story(planes, schedule, lost);
    InstanceWalk(schedule, story).run();
    return story.report();
  }
};

struct CountInstances {
  static bool begin(std::uint64_t /*instance*/, LaunchId /*first*/) { return true; }
  static void repeat(std::uint64_t /*from*/, std::uint64_t /*instances*/) {}
};

std::uint64_t words_in_windows(const WindowSet& windows, const LaunchSchedule& schedule) {
  std::uint64_t count = 0;
  const auto misses = [&](AddressRange words) { return !windows.meets(words); };
  const AddressRange extent = windows.extent();
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (schedule.repeat_of(LaunchId(i)) == nullptr) {
      for (const std::uint64_t word : schedule.words(LaunchId(i))) {
        count += extent.contains(word) && windows.meets(at_one_address(word)) ? 1 : 0;
      }
      continue;
    }
    WordMotions motions(schedule, LaunchId(i));
    for (auto left = schedule.words(LaunchId(i)).size(); left > 0; --left) {
      count += each_interval(motions.next(), misses) ? 0 : 1;
    }
  }
  return count;
}

void look_at(const PlaneTable& planes, const WindowSet& windows, const RangeId& id,
             ArenaCoverage& coverage) {
  if (planes[id].name.empty()) ++coverage.anonymous;
  if (!windows.covers(planes[id].extent())) coverage.outside.push_back(id);
}

}  // namespace

ArenaReport arena_report(const PlaneTable& planes, const LaunchSchedule& schedule,
                         const Verdict& verdict) {
  return std::visit(Reporter{planes, schedule}, verdict.finding);
}

ArenaCoverage arena_coverage(const PlaneTable& planes, const LaunchSchedule& schedule) {
  CountInstances visitor;
  InstanceWalk walk(schedule, visitor);
  walk.run();
  const WindowSet windows(planes.windows());
  ArenaCoverage coverage{.launches = schedule.size(),
                         .executed = schedule.executed(),
                         .instances = walk.instances(),
                         .words = schedule.word_count(),
                         .words_in_windows = words_in_windows(windows, schedule)};
  for (std::uint32_t i = 0; i < planes.globals().size(); ++i) {
    look_at(planes, windows, {std::nullopt, i}, coverage);
  }
  for (std::size_t phase = 0; phase < planes.phases().size(); ++phase) {
    for (std::uint32_t i = 0; i < planes[PhaseId(phase)].planes.size(); ++i) {
      look_at(planes, windows, {PhaseId(phase), i}, coverage);
    }
  }
  return coverage;
}

}  // namespace berth
