#pragma once

#include <optional>
#include <vector>

#include "berth/certify/arena_live.h"
#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_words.h"
#include "berth/ir/verdict.h"

namespace berth {

// The certificate of an arena, as docs/certificate.md states it and what its 0 means:
//
//   A  globals are aligned, not empty, pairwise disjoint
//   B  so are each phase's planes, and disjoint from the globals
//   C  every word in a window lies in a plane of its launch's phase, or in a global
//   D  as the launches run, a carried plane was declared by an earlier instance of some phase (a
//      maximal run of executed launches of one phase), and not declared over since
//
// This file and arena_{arithmetic,filter,live,ranges,runs,sieve,words} are all there is to trust,
// with the values in ir that they read. No recursion, no exceptions, no allocation but of tables as
// large as the plan; a repeat costs the same however often it runs. O(words log ranges + instances
// examined x planes of each).
Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule);

// Whether each value of a word may be given to a launch of the phase, where intervals that cover
// them leave it open.
using WordRule = bool (*)(const ArenaRanges& ranges, PhaseId phase, const WordMotion& motion);

// The same for those who judge many schedules on one plan: its tables are made once.
class ArenaChecker {
 public:
  // `planes` stays where it is.
  explicit ArenaChecker(const PlaneTable& planes)
      : planes_(planes), ranges_(planes), tensors_(planes) {}

  Verdict certify(const LaunchSchedule& schedule) const;

  // What breaks rule A or B. The rest is for plans that keep them.
  const std::optional<Finding>& fault() const { return ranges_.fault(); }
  // By phase of the schedule.
  using DeclaredPhases = std::vector<std::optional<PhaseId>>;
  DeclaredPhases declared_phases(const LaunchSchedule& schedule) const;
  // Rule C, for launches [first, end). What intervals leave open is refused, unless `rule` is there
  // and allows it.
  std::optional<Finding> find_stray(const LaunchSchedule& schedule, const DeclaredPhases& declared,
                                    std::size_t first, std::size_t end,
                                    WordRule rule = nullptr) const;
  // Rule D, once C holds.
  std::optional<Finding> find_lost(const LaunchSchedule& schedule,
                                   const DeclaredPhases& declared) const;

 private:
  const PlaneTable& planes_;
  ArenaRanges ranges_;
  PlaneTensors tensors_;
};

}  // namespace berth
