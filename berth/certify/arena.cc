#include "berth/certify/arena.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "berth/certify/arena_exact.h"
#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_runs.h"
#include "berth/certify/arena_words.h"

namespace berth {
namespace {

using DeclaredPhases = std::vector<std::optional<PhaseId>>;  // by phase of the schedule

DeclaredPhases declared_phases(const PlaneTable& planes, const LaunchSchedule& schedule) {
  DeclaredPhases declared;
  for (const std::string& phase : schedule.phases()) declared.push_back(planes.find(phase));
  return declared;
}

// Rule C.
std::optional<Finding> find_stray(const ArenaRanges& ranges, const LaunchSchedule& schedule,
                                  const DeclaredPhases& declared, WordRule rule) {
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const LaunchId launch(i);
    const auto phase = declared[schedule.phase_of(launch)];
    if (!phase) return UndeclaredPhase{launch};
    const auto words = schedule.words(launch);
    if (schedule.repeat_of(launch) == nullptr) {
      const std::size_t word = ranges.first_refused(*phase, words);
      if (word < words.size()) return StrayWord{launch, static_cast<std::uint32_t>(word)};
      continue;
    }
    const auto allowed = [&](AddressRange at) { return ranges.allow(*phase, at); };
    WordMotions motions(schedule, launch);
    for (std::uint32_t word = 0; word < words.size(); ++word) {
      const WordMotion motion = motions.next();
      if (each_interval(motion, allowed)) continue;
      if (rule == WordRule::Exact && !first_stray(ranges, *phase, motion)) continue;
      return StrayWord{launch, word};
    }
  }
  return std::nullopt;
}

// The planes that would satisfy a carried use now: declared, and not declared over since. They are
// pairwise disjoint at any time. Planes that are equal are one tensor; tensors stand in order of
// address, so those that share a byte with one that is declared stand next to it among the live.
class LivePlanes {
 public:
  explicit LivePlanes(const PlaneTable& planes) {
    std::vector<const NamedRange*> ranges;
    for (const PhasePlanes& phase : planes.phases()) {
      begin_.push_back(ranges.size());
      for (const Plane& plane : phase.planes) ranges.push_back(&plane.range);
    }
    std::vector<std::size_t> order(ranges.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) {
      return std::tie(ranges[i]->address, ranges[i]->bytes, ranges[i]->name);
    });
    tensor_.resize(ranges.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const NamedRange& range = *ranges[order[i]];
      if (i == 0 || range != *ranges[order[i - 1]]) extents_.push_back(range.extent());
      tensor_[order[i]] = extents_.size() - 1;
    }
    live_.resize(extents_.size() / kBits + 1);
  }

  bool holds(PhaseId phase, std::size_t plane) const { return is_live(tensor(phase, plane)); }

  void declare(PhaseId phase, std::size_t plane) {
    const std::size_t declared = tensor(phase, plane);
    if (is_live(declared)) return;  // and nothing else holds a byte of it
    const AddressRange extent = extents_[declared];
    for (auto at = before(declared); at && extents_[*at].overlaps(extent); at = before(declared)) {
      flip(*at);
    }
    for (auto at = after(declared); at && extents_[*at].overlaps(extent); at = after(declared)) {
      flip(*at);
    }
    flip(declared);
  }

 private:
  static constexpr std::size_t kBits = 64;

  std::size_t tensor(PhaseId phase, std::size_t plane) const {
    return tensor_[begin_[phase.index()] + plane];
  }
  bool is_live(std::size_t tensor) const {
    return (live_[tensor / kBits] >> (tensor % kBits) & 1) != 0;
  }
  void flip(std::size_t tensor) { live_[tensor / kBits] ^= std::uint64_t{1} << (tensor % kBits); }

  // The live tensor next to one.
  std::optional<std::size_t> before(std::size_t tensor) const {
    std::size_t word = tensor / kBits;
    std::uint64_t bits = live_[word] & ~(~std::uint64_t{0} << (tensor % kBits));
    while (bits == 0 && word > 0) bits = live_[--word];
    if (bits == 0) return std::nullopt;
    return word * kBits + static_cast<std::size_t>(std::bit_width(bits)) - 1;
  }
  std::optional<std::size_t> after(std::size_t tensor) const {
    std::size_t word = tensor / kBits;
    std::uint64_t bits = live_[word] & (~std::uint64_t{1} << (tensor % kBits));
    while (bits == 0 && word + 1 < live_.size()) bits = live_[++word];
    if (bits == 0) return std::nullopt;
    return word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
  }

  std::vector<AddressRange> extents_;  // by tensor
  std::vector<std::size_t> tensor_;    // by plane, phase by phase
  std::vector<std::size_t> begin_;     // of each phase there
  std::vector<std::uint64_t> live_;    // a bit a tensor
};

// Rule D, instance by instance.
class CarriedValues {
 public:
  CarriedValues(const PlaneTable& planes, const LaunchSchedule& schedule,
                const DeclaredPhases& declared)
      : planes_(planes), schedule_(schedule), declared_(declared), live_(planes) {}

  bool begin(std::uint64_t instance, LaunchId first) {
    const PhaseId phase = *declared_[schedule_.phase_of(first)];
    const auto& planes = planes_[phase].planes;
    for (std::uint32_t i = 0; i < planes.size(); ++i) {
      if (!planes[i].carried || live_.holds(phase, i)) continue;
      lost_ = LostValue{instance, first, {phase, i}};
      return false;
    }
    for (std::size_t i = 0; i < planes.size(); ++i) live_.declare(phase, i);
    return true;
  }
  void repeat(std::uint64_t /*from*/, std::uint64_t /*instances*/) {}

  const std::optional<Finding>& lost() const { return lost_; }

 private:
  const PlaneTable& planes_;
  const LaunchSchedule& schedule_;
  const DeclaredPhases& declared_;
  LivePlanes live_;
  std::optional<Finding> lost_;
};

Finding judge(const PlaneTable& planes, const LaunchSchedule& schedule, WordRule rule) {
  const auto ranges = ArenaRanges::make(planes);
  if (const auto* fault = std::get_if<Finding>(&ranges)) return *fault;
  const DeclaredPhases declared = declared_phases(planes, schedule);
  const auto stray = find_stray(std::get<ArenaRanges>(ranges), schedule, declared, rule);
  if (stray) return *stray;
  CarriedValues values(planes, schedule, declared);
  InstanceWalk(schedule, values).run();
  return values.lost().value_or(Certified());
}

}  // namespace

Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule, WordRule rule) {
  return {judge(planes, schedule, rule), schedule.size()};
}

}  // namespace berth
