#include "berth/certify/arena_report.h"

#include <algorithm>
#include <cassert>

#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_extents.h"
#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_runs.h"
#include "berth/certify/arena_words.h"

namespace berth {
namespace {

// Keeps the range if it is the nearest yet on its side of the value.
void find_near(const PlaneTable& planes, const RangeId& id, std::uint64_t value,
               StrayWordReport& report) {
  const AddressRange at = planes[id].extent();
  const bool is_above = at.lower > value;
  const auto distance =
      static_cast<std::uint64_t>(is_above ? at.lower - value : value + 1 - at.upper);
  auto& nearest = is_above ? report.above : report.below;
  if (!nearest || distance < nearest->distance) nearest = {id, distance};
}

void find_near(const PlaneTable& planes, PhaseId phase, StrayWordReport& report) {
  for (std::uint32_t i = 0; i < planes.globals().size(); ++i) {
    find_near(planes, {std::nullopt, i}, report.value, report);
  }
  for (std::uint32_t i = 0; i < planes[phase].planes.size(); ++i) {
    find_near(planes, {phase, i}, report.value, report);
  }
}

std::optional<RangeId> find_elsewhere(const PlaneTable& planes, std::uint64_t value) {
  for (std::size_t phase = 0; phase < planes.phases().size(); ++phase) {
    const auto& its = planes[PhaseId(phase)].planes;
    for (std::uint32_t i = 0; i < its.size(); ++i) {
      if (its[i].range.extent().contains(value)) return RangeId{PhaseId(phase), i};
    }
  }
  return std::nullopt;
}

std::optional<RangeId> find_named(const PlaneTable& planes, PhaseId phase, std::uint64_t value) {
  for (std::uint32_t i = 0; i < planes.globals().size(); ++i) {
    if (planes.globals()[i].extent().contains(value)) return RangeId{std::nullopt, i};
  }
  for (std::uint32_t i = 0; i < planes[phase].planes.size(); ++i) {
    if (planes[phase].planes[i].range.extent().contains(value)) return RangeId{phase, i};
  }
  return std::nullopt;
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

// Of the intervals that stand for a word, the one that holds this value of it.
AddressRange interval_of(const WordMotion& motion, std::uint64_t value) {
  AddressRange found;
  each_interval(motion, [&](AddressRange words) {
    found = words;
    return !words.contains(value);
  });
  return found;
}

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
    const ArenaRanges ranges(planes);
    const PhaseId phase = *planes.find(schedule.phase(stray.launch));
    const WordMotion motion = motion_of(schedule, stray.launch, stray.word);

    StrayWordReport report{.stray = stray, .iterations = motion.iterations};
    each_interval(motion, [&](AddressRange words) {
      report.interval = words;
      return ranges.allow(phase, words);
    });
    report.iteration = first_stray(ranges, phase, motion);
    report.value = static_cast<std::uint64_t>(report.interval.lower);
    if (!report.iteration) return report;
    report.value = motion.at(*report.iteration);
    report.interval = interval_of(motion, report.value);
    find_near(planes, phase, report);
    report.elsewhere = find_elsewhere(planes, report.value);
    return report;
  }

  ArenaReport operator()(const UnwrittenRead& read) const { return read; }

  ArenaReport operator()(const StrayAccess& stray) const {
    const ArenaRanges ranges(planes);
    const PhaseId phase = *planes.find(schedule.phase(stray.launch));
    const WordMotion motion = motion_of(schedule, stray.launch, stray.word);
    StrayAccessReport report{.stray = stray, .iterations = motion.iterations};
    report.extent = *std::ranges::find(schedule.extents(stray.launch), stray.word, &Extent::word);
    const std::uint64_t length = reach_of(report.extent);
    each_interval(motion, [&](AddressRange words) {
      report.interval = {words.lower, words.upper + (length - 1)};
      return name_bytes(ranges, phase, words, length);
    });
    report.iteration = first_stray_access(ranges, phase, motion, length);
    report.value = static_cast<std::uint64_t>(report.interval.lower);
    if (!report.iteration) return report;
    report.value = motion.at(*report.iteration);
    report.interval = interval_of(motion, report.value);
    report.interval.upper += length - 1;
    report.range = find_named(planes, phase, report.value);
    if (report.range) {
      report.past = report.value + WideAddress(length) - planes[*report.range].extent().upper;
    }
    return report;
  }

  ArenaReport operator()(const LostValue& lost) const {
    PlaneStory story(planes, schedule, lost);
    InstanceWalk(schedule, story).run();
    return story.report();
  }
};

}  // namespace

ArenaReport arena_report(const PlaneTable& planes, const LaunchSchedule& schedule,
                         const Verdict& verdict) {
  return std::visit(Reporter{planes, schedule}, verdict.finding);
}

}  // namespace berth
