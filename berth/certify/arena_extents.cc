#include "berth/certify/arena_extents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "berth/certify/arena_exact.h"
#include "berth/certify/byte_set.h"

namespace berth {
namespace {

// Rule E for one word.
bool stays_inside(const ArenaRanges& ranges, PhaseId phase, const WordMotion& motion,
                  std::uint64_t length, Words rule) {
  const bool is_inside = each_interval(
      motion, [&](AddressRange words) { return name_bytes(ranges, phase, words, length); });
  return is_inside ||
         (rule == Words::OneByOne && !first_stray_access(ranges, phase, motion, length));
}

// Of the launches before `end`, whose phases are declared.
std::optional<StrayAccess> find_stray_access(const PlaneTable& planes,
                                             const LaunchSchedule& schedule, Words rule,
                                             std::uint64_t end) {
  const ArenaRanges ranges(planes);
  std::vector<std::optional<PhaseId>> phases;  // by phase of the schedule
  for (const std::string& phase : schedule.phases()) phases.push_back(planes.find(phase));
  for (const Extent& extent : schedule.extents()) {
    const LaunchId launch(extent.launch);
    if (extent.launch >= end) break;
    const PhaseId phase = *phases[schedule.phase_of(launch)];
    const WordMotion motion = motion_of(schedule, launch, extent.word);
    if (stays_inside(ranges, phase, motion, reach_of(extent), rule)) continue;
    return StrayAccess{launch, extent.word};
  }
  return std::nullopt;
}

bool moves(const WordMotion& motion) {
  return !motion.values.empty() || static_cast<std::uint64_t>(motion.step) != 0;
}

struct FreshPlane {
  AddressRange at;
  RangeId id;
};

std::vector<FreshPlane> fresh_planes(const PlaneTable& planes, PhaseId phase) {
  std::vector<FreshPlane> fresh;
  for (std::uint32_t i = 0; i < planes[phase].planes.size(); ++i) {
    const Plane& plane = planes[phase].planes[i];
    if (!plane.carried) fresh.push_back({plane.range.extent(), {phase, i}});
  }
  std::ranges::sort(fresh, {}, [](const FreshPlane& plane) { return plane.at.lower; });
  return fresh;
}

// Rule F: follows what each instance writes, launch by launch.
class WrittenBytes {
 public:
  WrittenBytes(const PlaneTable& planes, const LaunchSchedule& schedule) : schedule_(schedule) {
    for (const std::string& phase : schedule.phases()) {
      fresh_.push_back(fresh_planes(planes, *planes.find(phase)));
    }
  }

  // The first such read, in instances before `end`.
  std::optional<UnwrittenRead> find(std::uint64_t end) {
    end_ = end;
    const auto submissions = schedule_.submissions();
    for (std::size_t i = 0; i < submissions.size();) {
      std::size_t next = i + 1;
      while (next < submissions.size() && submissions[next] == submissions[i]) ++next;
      if (!times(next - i, [&] { return submission(submissions[i]); })) break;
      i = next;
    }
    return found_;
  }

 private:
  // Stands for every iteration of a repeat.
  static constexpr std::uint64_t kAny = UINT64_MAX;

  // What repeats does and leaves in its third pass what it did and left in its second: an instance
  // that begins in it knows nothing of what was before, and one that goes on only gains bytes.
  template <typename Pass>
  bool times(std::uint64_t count, const Pass& pass) {
    if (!pass()) return false;
    if (count == 1) return true;
    const std::uint64_t before = instances_;
    if (!pass()) return false;
    begun_in_pass_ = instances_ - before;
    instances_ += (count - 2) * begun_in_pass_;
    return true;
  }

  bool submission(const Submission& range) {
    const auto repeats = schedule_.repeats();
    const std::uint64_t end = range.first + range.count;
    std::uint64_t at = range.first;
    auto repeat = std::ranges::lower_bound(repeats, at, {}, &Repeat::first);
    for (; repeat != repeats.end() && repeat->first < end; ++repeat) {
      if (!launches(at, repeat->first, 0) || !iterations(*repeat)) return false;
      at = repeat->end();
    }
    return launches(at, end, 0);
  }

  bool iterations(const Repeat& repeat) {
    const bool moves = has_moving_extents(repeat);
    if (moves && repeat.iterations > kFollowedIterations) return many_iterations(repeat);
    if (!moves) {
      return times(repeat.iterations, [&] { return launches(repeat.first, repeat.end(), 0); });
    }
    for (std::uint64_t t = 0; t < repeat.iterations; ++t) {
      if (!launches(repeat.first, repeat.end(), t)) return false;
    }
    return true;
  }

  bool has_moving_extents(const Repeat& repeat) const {
    for (std::uint64_t at = repeat.first; at < repeat.end(); ++at) {
      for (const Extent& extent : schedule_.extents(LaunchId(at))) {
        if (moves(motion_of(schedule_, LaunchId(at), extent.word))) return true;
      }
    }
    return false;
  }

  bool many_iterations(const Repeat& repeat) {
    const auto pass = [&] {
      moving_.clear();
      return launches(repeat.first, repeat.end(), kAny);
    };
    if (!times(repeat.iterations, pass)) return false;
    moving_.clear();
    const bool goes_on = begun_in_pass_ == 0;
    for (std::uint64_t at = goes_on ? repeat.first : begin_.index(); at < repeat.end(); ++at) {
      for (const Extent& extent : schedule_.extents(LaunchId(at))) {
        leave_behind(motion_of(schedule_, LaunchId(at), extent.word), extent.writes, goes_on);
      }
    }
    return true;
  }

  // What a word has written once its repeat is over: at its last value, and if its instance went on
  // through all of them, everything that it passed over without a gap.
  void leave_behind(const WordMotion& motion, std::uint64_t writes, bool goes_on) {
    if (writes == 0) return;
    written_.add(bytes_at(motion.at(motion.iterations - 1), writes));
    const WordMotion::Step step = motion.step < 0 ? -motion.step : motion.step;
    if (!goes_on || !motion.values.empty() || step > static_cast<WordMotion::Step>(writes)) return;
    for (const AddressRange& arc : hull(motion)) {
      if (!arc.empty()) written_.add({arc.lower, std::min(arc.upper + (writes - 1), kAddressEnd)});
    }
  }

  static AddressRange bytes_at(std::uint64_t address, std::uint64_t count) {
    return {address, WideAddress(address) + count};
  }

  bool launches(std::uint64_t first, std::uint64_t end, std::uint64_t t) {
    for (std::uint64_t at = first; at < end; ++at) {
      const LaunchId launch(at);
      if (schedule_.phase_of(launch) != phase_) {
        if (instances_ >= end_) return false;
        phase_ = schedule_.phase_of(launch);
        begin_ = launch;
        ++instances_;
        written_.clear();
        moving_.clear();
      }
      for (const Extent& extent : schedule_.extents(launch)) {
        if (extent.reads > 0 && !finds_written(extent, t)) return false;
      }
      for (const Extent& extent : schedule_.extents(launch)) {
        if (extent.writes > 0) write(extent, t);
      }
    }
    return true;
  }

  bool finds_written(const Extent& extent, std::uint64_t t) {
    const WordMotion motion = motion_of(schedule_, LaunchId(extent.launch), extent.word);
    if (t != kAny || !moves(motion)) {
      return are_written(extent, bytes_at(motion.at(t == kAny ? 0 : t), extent.reads));
    }
    const auto along = moving_.find(static_cast<std::uint64_t>(motion.step));
    if (motion.values.empty() && along != moving_.end() &&
        along->second.first_missing(bytes_at(motion.base, extent.reads)).empty()) {
      return true;
    }
    return std::ranges::all_of(hull(motion), [&](AddressRange arc) {
      return arc.empty() || are_written(extent, {arc.lower, arc.upper + (extent.reads - 1)});
    });
  }

  bool are_written(const Extent& extent, AddressRange bytes) {
    const auto& fresh = fresh_[phase_];
    const auto first = std::ranges::upper_bound(
        fresh, bytes.lower, {}, [](const FreshPlane& plane) { return plane.at.upper; });
    for (auto plane = first; plane != fresh.end() && plane->at.overlaps(bytes); ++plane) {
      const AddressRange missing = written_.first_missing(
          {std::max(bytes.lower, plane->at.lower), std::min(bytes.upper, plane->at.upper)});
      if (missing.empty()) continue;
      found_ = UnwrittenRead{
          instances_ - 1, begin_, LaunchId(extent.launch), extent.word, plane->id, bytes, missing};
      return false;
    }
    return true;
  }

  void write(const Extent& extent, std::uint64_t t) {
    const WordMotion motion = motion_of(schedule_, LaunchId(extent.launch), extent.word);
    if (t != kAny || !moves(motion)) {
      written_.add(bytes_at(motion.at(t == kAny ? 0 : t), extent.writes));
    } else if (motion.values.empty()) {
      auto& along = moving_[static_cast<std::uint64_t>(motion.step)];
      along.add(bytes_at(motion.base, extent.writes));
    }
  }

  const LaunchSchedule& schedule_;
  std::vector<std::vector<FreshPlane>> fresh_;  // by phase of the schedule, in order
  std::uint64_t end_ = 0;
  std::uint32_t phase_ = UINT32_MAX;  // of the instance that runs
  LaunchId begin_;                    // with which it began
  std::uint64_t instances_ = 0;       // that have begun
  std::uint64_t begun_in_pass_ = 0;   // the last second pass
  ByteSet written_;                   // in this instance
  // In this iteration too: by step, where the bytes are in the first iteration.
  std::map<std::uint64_t, ByteSet> moving_;
  std::optional<UnwrittenRead> found_;
};

}  // namespace

Verdict judge_extents(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                      const Verdict& verdict) {
  const std::uint64_t launches = schedule.size();
  const std::uint64_t code = verdict.certified() ? UINT64_MAX : verdict.code();
  if (schedule.extents().empty() || code == 1) return verdict;
  const std::uint64_t first_refused = std::min(code - 2, launches);
  if (const auto stray = find_stray_access(planes, schedule, rule, first_refused)) {
    return {*stray, launches};
  }
  if (code - 2 < launches) return verdict;
  const auto read = WrittenBytes(planes, schedule).find(code - 2 - launches);
  return read ? Verdict{*read, launches} : verdict;
}

}  // namespace berth
