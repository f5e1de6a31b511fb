#pragma once

#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"

namespace berth {

// Whether a plan is sound, from the plan alone and whoever made it: no two buffers share a byte
// while both hold it, each stands where it may, and the figures are what the buffers say. Shares
// no code with the packers. Any plan gives a verdict, a hostile one too.
//
// A buffer holds its bytes over its life; in a gap it holds what it keeps. Exempt from meeting are
//  - a view, from the buffer that it views and from other views of it: it must lie inside that
//    buffer's bytes and life;
//  - a buffer that takes over another's bytes, from that other, in the one step in which that one
//    dies and it is born: at the same offset, and no larger.
// Arenas of one device, and all arenas of a plan on a target, stand on addresses of their own.
//
// An empty buffer takes nothing: where it stands is not asked.
//
// Where any two buffers meet, at least one pair is found, and the first is one of those that meet
// earliest; the count may leave out further pairs of a buffer that has met one. O(n log n) in
// buffers and gaps, and each view walks its base's gaps besides.
PlacementVerdict check_placement(const Plan& plan);

}  // namespace berth
