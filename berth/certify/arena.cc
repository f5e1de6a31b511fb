#include "berth/certify/arena.h"

#include <algorithm>

#include "berth/certify/arena_runs.h"

namespace berth {
namespace {

// The launches from `first` on, before `end`, that are of its phase and in no repeat, as it is.
std::size_t end_of_run(const LaunchSchedule& schedule, std::size_t first, std::size_t end) {
  const auto next = std::ranges::upper_bound(schedule.repeats(), first, {}, &Repeat::first);
  if (next != schedule.repeats().end()) end = std::min<std::size_t>(end, next->first);
  std::size_t at = first;
  while (at < end && schedule.phase_of(LaunchId(at)) == schedule.phase_of(LaunchId(first))) ++at;
  return at;
}

// The first word of a launch that may not be given to it.
std::optional<std::uint32_t> first_refused(const ArenaRanges& ranges,
                                           const LaunchSchedule& schedule, LaunchId launch,
                                           PhaseId phase, WordRule rule) {
  const auto allowed = [&](AddressRange words) { return ranges.allow(phase, words); };
  for (std::uint32_t word = 0; word < schedule.words(launch).size(); ++word) {
    const WordMotion motion = motion_of(schedule, launch, word);
    if (each_interval(motion, allowed)) continue;
    if (rule != nullptr && rule(ranges, phase, motion)) continue;
    return word;
  }
  return std::nullopt;
}

// Rule D, instance by instance.
struct CarriedValues {
  const PlaneTensors& tensors;
  const LaunchSchedule& schedule;
  const ArenaChecker::DeclaredPhases& declared;
  LiveTensors live = LiveTensors(tensors);
  std::optional<Finding> lost = {};

  bool begin(std::uint64_t instance, LaunchId first) {
    const PhaseId phase = *declared[schedule.phase_of(first)];
    const auto own = tensors.of(phase);
    // Planes of a phase are disjoint: to declare one takes none of the others.
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      if (live.holds(own[i].tensor)) continue;
      if (own[i].carried) {
        lost = LostValue{instance, first, {phase, i}};
        return false;
      }
      live.declare(own[i].tensor);
    }
    return true;
  }
  void repeat(std::uint64_t /*from*/, std::uint64_t /*instances*/) {}
};

}  // namespace

// Plans and schedules mostly name phases in one order, so the next one is looked at first.
ArenaChecker::DeclaredPhases ArenaChecker::declared_phases(const LaunchSchedule& schedule) const {
  const auto names = schedule.phases();
  DeclaredPhases declared(names.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool is_next = next < planes_.phases().size() && planes_.phases()[next].phase == names[i];
    declared[i] = is_next ? PhaseId(next) : planes_.find(names[i]);
    if (declared[i]) next = declared[i]->index() + 1;
  }
  return declared;
}

std::optional<Finding> ArenaChecker::find_stray(const LaunchSchedule& schedule,
                                                const DeclaredPhases& declared, std::size_t first,
                                                std::size_t end, WordRule rule) const {
  for (std::size_t at = first; at < end;) {
    const auto phase = declared[schedule.phase_of(LaunchId(at))];
    if (!phase) return UndeclaredPhase{LaunchId(at)};
    const bool repeats = schedule.repeat_of(LaunchId(at)) != nullptr;
    const std::size_t next = repeats ? at + 1 : end_of_run(schedule, at, end);
    if (repeats || !ranges_.allow_each(*phase, schedule.words(at, next))) {
      for (std::size_t launch = at; launch < next; ++launch) {
        const auto word = first_refused(ranges_, schedule, LaunchId(launch), *phase, rule);
        if (word) return StrayWord{LaunchId(launch), *word};
      }
    }
    at = next;
  }
  return std::nullopt;
}

std::optional<Finding> ArenaChecker::find_lost(const LaunchSchedule& schedule,
                                               const DeclaredPhases& declared) const {
  CarriedValues values{tensors_, schedule, declared};
  InstanceWalk(schedule, values).run();
  return values.lost;
}

Verdict ArenaChecker::certify(const LaunchSchedule& schedule) const {
  if (fault()) return {*fault(), schedule.size()};
  const DeclaredPhases declared = declared_phases(schedule);
  auto found = find_stray(schedule, declared, 0, schedule.size());
  if (!found) found = find_lost(schedule, declared);
  return {found.value_or(Certified()), schedule.size()};
}

Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule) {
  return ArenaChecker(planes).certify(schedule);
}

}  // namespace berth
