#pragma once

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
// This file, arena_ranges, arena_words and arena_runs are all there is to trust, with the values in
// ir that they read (and arena_exact and progression where Exact is asked for). No recursion, no
// exceptions, no allocation but of tables as large as the plan; a repeat costs the same however
// often it runs. O(words log ranges + instances examined x planes of each).
Verdict certify_arena(const PlaneTable& planes, const LaunchSchedule& schedule,
                      WordRule rule = WordRule::Interval);

}  // namespace berth
