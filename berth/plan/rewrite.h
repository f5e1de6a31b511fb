#pragma once

#include <optional>
#include <span>
#include <string>

#include "berth/base/result.h"
#include "berth/ir/packing.h"
#include "berth/ir/schedule.h"
#include "berth/live/schedule_lives.h"

namespace berth {

// The schedule with each planned buffer replaced, wherever the linear reaches it outside call
// bodies, by bytes [place + skew, place + skew + size) of its device's arena, viewed as its type:
//
//   buffer float32 x 16   ->   bitcast(shrink(arena, 256, 320), float32)
//
// An arena is an int8 buffer as long as `packing` needs on that device; arenas take the slots
// after the largest of any buffer or alloc, in the order of the instance's devices. Held nodes are
// carried along. The same schedule comes back where the instance is empty.
//
// Source: memory_plan_rewrite of Tolk.Memory. O(nodes). Refuses only slots past 64 bits.
// `ops` are the nodes of the instance's first buffers, by BufferId; what the instance holds beyond
// them (scratch) is in no node.
Result<Schedule> rewrite(const Schedule& schedule, std::span<const OpId> ops,
                         const Instance& instance, const Packing& packing);

// What planning a schedule saved: "memory reduced from 1.54 MB -> 0.51 MB, 3 -> 1 bufs" (1e6 bytes
// to the MB). Nothing where the arenas take as many bytes as the buffers did.
std::optional<std::string> memory_saved(std::span<const OpId> ops, const Instance& instance,
                                        const Packing& packing);

// Part 1 in one call, as the source text states it: the packer is its own allocator ("tlsf").
// `held` adds to what the schedule holds. Reads no environment: what Setting.no_memory_planner and
// Setting.debug name is the command's (NO_MEMORY_PLANNER, DEBUG). Who calls this honours the one by
// not calling it, the other by printing memory_saved.
Result<Schedule> memory_plan_rewrite(const Schedule& schedule, std::span<const OpId> held = {});

}  // namespace berth
