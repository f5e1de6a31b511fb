#pragma once

#include <cstdint>

#include "berth/certify/arena_judge.h"
#include "berth/certify/arena_report.h"

namespace berth {

// What stays the same while a schedule is cut down.
enum class ShrinkTo {
  SameCode,   // the kind of fault and the verdict's number
  SameFault,  // the kind of fault, by whatever number
};

struct ShrunkArena {
  PlaneTable planes;
  LaunchSchedule schedule;
  Verdict verdict;
  std::uint64_t tries = 0;
  bool minimal = true;  // otherwise the budget was spent first
};

// What a fault is, apart from where: which rule, and whether a range is empty, past the end or
// misaligned, a word or its bytes stray by a value or only by the hull, a value was overwritten or
// never there.
struct FaultKind {
  std::size_t report = 0;  // index of ArenaReport
  int variety = 0;

  friend bool operator==(const FaultKind&, const FaultKind&) = default;
};
FaultKind fault_kind(const ArenaReport& report);

// A part of planes and launches that earns the same verdict, and is smallest in this sense: without
// any one of its windows, ranges, phases, launches, words, deltas, frames, extents, repeats or
// submissions, or with one iteration less, it would earn another. The verdict is not 0.
//
// Leaves out halves, quarters and so on of each kind of part, then single ones, until none can go.
// Where that certifies 2^28 launches, words and ranges in all, it stops with what it has.
ShrunkArena shrink_arena(const PlaneTable& planes, const LaunchSchedule& schedule, Words rule,
                         ShrinkTo to);

}  // namespace berth
