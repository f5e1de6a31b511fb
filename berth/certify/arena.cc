#include "berth/certify/arena.h"

#include <algorithm>
#include <utility>

#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_runs.h"
#include "berth/certify/arena_words.h"

namespace berth {
namespace {

// The first word of a launch that may not be given to it; how many it has otherwise.
std::uint32_t first_refused(const ArenaRanges& ranges, const LaunchSchedule& schedule,
                            LaunchId launch, PhaseId phase, WordRule rule) {
  const auto allowed = [&](AddressRange at) { return ranges.allow(phase, at); };
  const auto count = static_cast<std::uint32_t>(schedule.words(launch).size());
  WordMotions motions(schedule, launch);
  for (std::uint32_t word = 0; word < count; ++word) {
    const WordMotion motion = motions.next();
    if (each_interval(motion, allowed)) continue;
    if (rule == WordRule::Exact && !first_stray(ranges, phase, motion)) continue;
    return word;
  }
  return count;
}

// Rule D, instance by instance.
class CarriedValues {
 public:
  CarriedValues(const PlaneTable& planes, const PlaneTensors& tensors,
                const LaunchSchedule& schedule, const ArenaChecker::DeclaredPhases& declared)
      : planes_(planes),
        tensors_(tensors),
        schedule_(schedule),
        declared_(declared),
        live_(tensors) {}

  bool begin(std::uint64_t instance, LaunchId first) {
    const PhaseId phase = *declared_[schedule_.phase_of(first)];
    const auto tensors = tensors_.of(phase);
    for (std::uint32_t i = 0; i < tensors.size(); ++i) {
      if (live_.holds(tensors[i]) || !planes_[phase].planes[i].carried) continue;
      lost_ = LostValue{instance, first, {phase, i}};
      return false;
    }
    for (const std::uint32_t tensor : tensors) live_.declare(tensor);
    return true;
  }
  void repeat(std::uint64_t /*from*/, std::uint64_t /*instances*/) {}

  const std::optional<Finding>& lost() const { return lost_; }

 private:
  const PlaneTable& planes_;
  const PlaneTensors& tensors_;
  const LaunchSchedule& schedule_;
  const ArenaChecker::DeclaredPhases& declared_;
  LiveTensors live_;
  std::optional<Finding> lost_;
};

// The launches from `first` on, before `end`, that are of its phase and in no repeat, as it is.
std::size_t end_of_run(const LaunchSchedule& schedule, std::size_t first, std::size_t end) {
  const auto next = std::ranges::upper_bound(schedule.repeats(), first, {}, &Repeat::first);
  if (next != schedule.repeats().end()) end = std::min<std::size_t>(end, next->first);
  std::size_t at = first + 1;
  while (at < end && schedule.phase_of(LaunchId(at)) == schedule.phase_of(LaunchId(first))) ++at;
  return at;
}

}  // namespace

std::variant<ArenaChecker, Finding> ArenaChecker::make(const PlaneTable& planes) {
  auto ranges = ArenaRanges::make(planes);
  if (const auto* fault = std::get_if<Finding>(&ranges)) return *fault;
  return ArenaChecker(planes, std::get<ArenaRanges>(std::move(ranges)));
}

// Plans and schedules mostly name phases in one order, so the next one is looked at first.
ArenaChecker::DeclaredPhases ArenaChecker::declared_phases(const LaunchSchedule& schedule) const {
  DeclaredPhases declared;
  declared.reserve(schedule.phases().size());
  std::size_t next = 0;
  for (const std::string& phase : schedule.phases()) {
    const bool is_next = next < planes_->phases().size() && planes_->phases()[next].phase == phase;
    declared.push_back(is_next ? PhaseId(next) : planes_->find(phase));
    if (declared.back()) next = declared.back()->index() + 1;
  }
  return declared;
}

std::optional<Finding> ArenaChecker::find_stray(const LaunchSchedule& schedule,
                                                const DeclaredPhases& declared, WordRule rule,
                                                std::size_t first, std::size_t end) const {
  for (std::size_t at = first; at < end;) {
    const auto phase = declared[schedule.phase_of(LaunchId(at))];
    if (!phase) return UndeclaredPhase{LaunchId(at)};
    if (schedule.repeat_of(LaunchId(at)) == nullptr) {
      const std::size_t run_end = end_of_run(schedule, at, end);
      if (ranges_.allow_each(*phase, schedule.words(at, run_end))) {
        at = run_end;
        continue;
      }
      // One of them strays: up to there it is only looked for.
      while (ranges_.allow_each(*phase, schedule.words(LaunchId(at)))) ++at;
    }
    const LaunchId launch(at);
    const std::uint32_t word = first_refused(ranges_, schedule, launch, *phase, rule);
    if (word < schedule.words(launch).size()) return StrayWord{launch, word};
    ++at;
  }
  return std::nullopt;
}

std::optional<Finding> ArenaChecker::find_lost(const LaunchSchedule& schedule,
                                               const DeclaredPhases& declared) const {
  CarriedValues values(*planes_, tensors_, schedule, declared);
  InstanceWalk(schedule, values).run();
  return values.lost();
}

Verdict ArenaChecker::certify(const LaunchSchedule& schedule, WordRule rule) const {
  const DeclaredPhases declared = declared_phases(schedule);
  auto found = find_stray(schedule, declared, rule, 0, schedule.size());
  if (!found) found = find_lost(schedule, declared);
  return {found.value_or(Certified()), schedule.size()};
}

Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule, WordRule rule) {
  const auto checker = ArenaChecker::make(planes);
  if (const auto* fault = std::get_if<Finding>(&checker)) return {*fault, schedule.size()};
  return std::get<ArenaChecker>(checker).certify(schedule, rule);
}

}  // namespace berth
