#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "berth/certify/arena_live.h"
#include "berth/certify/arena_ranges.h"
#include "berth/ir/verdict.h"

namespace berth {

// How the words of a repeat are held against the plan.
enum class WordRule {
  // By intervals that cover their values: one an iteration while those are at most 64 and one delta
  // names the word, their hull otherwise.
  Interval,
  // What intervals do not settle is decided value by value: a progression against each hole of the
  // plan, however many its iterations. Accepts more, never what is unsound.
  Exact,
};

// The certificate of an arena, as docs/certificate.md states it and what its 0 means:
//
//   A  globals are aligned, not empty, pairwise disjoint
//   B  so are each phase's planes, and disjoint from the globals
//   C  every word in a window lies in a plane of its launch's phase, or in a global
//   D  as the launches run, a carried plane was declared by an earlier instance of some phase (a
//      maximal run of executed launches of one phase), and not declared over since
//
// This file and arena_{filter,live,ranges,runs,sieve,words} are all there is to trust, with the
// values in ir that they read (and arena_exact and progression where Exact is asked for). No
// recursion, no exceptions, no allocation but of tables as large as the plan; a repeat costs the
// same however often it runs. O(words log ranges + instances examined x planes of each).
Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule,
                      WordRule rule = WordRule::Interval);

// The same for those who judge many schedules on one plan: its tables are made once.
class ArenaChecker {
 public:
  // What breaks rule A or B otherwise. `planes` stays where it is.
  static std::variant<ArenaChecker, Finding> make(const PlaneTable& planes);

  Verdict certify(const LaunchSchedule& schedule, WordRule rule = WordRule::Interval) const;

  // By phase of the schedule.
  using DeclaredPhases = std::vector<std::optional<PhaseId>>;
  DeclaredPhases declared_phases(const LaunchSchedule& schedule) const;
  // Rule C, for launches [first, end).
  std::optional<Finding> find_stray(const LaunchSchedule& schedule, const DeclaredPhases& declared,
                                    WordRule rule, std::size_t first, std::size_t end) const;
  // Rule D, once C holds.
  std::optional<Finding> find_lost(const LaunchSchedule& schedule,
                                   const DeclaredPhases& declared) const;

 private:
  ArenaChecker(const PlaneTable& planes, ArenaRanges ranges)
      : planes_(&planes), ranges_(std::move(ranges)), tensors_(planes) {}

  bool allows(const LaunchSchedule& schedule, LaunchId launch, std::uint32_t word,
              PhaseId phase) const;

  const PlaneTable* planes_;
  ArenaRanges ranges_;
  PlaneTensors tensors_;
};

}  // namespace berth
