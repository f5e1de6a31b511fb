#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/launches.h"
#include "berth/ir/packing.h"
#include "berth/ir/planes.h"
#include "berth/ir/schedule.h"

namespace berth {

// Storage that the plan does not hand on: held, or passed in.
struct StandingStorage {
  OpId storage;
  Address address;
};

// A placed schedule, as planes and the launches that run on them.
struct LoweredSchedule {
  PlaneTable planes;
  LaunchSchedule launches;
  std::vector<std::string> warnings;  // buffers that are read before anything writes them
};

// Each entry is a phase, named after its step. Its planes are the planned buffers that its run
// takes: fresh in the first entry that runs and takes one, carried in later ones; scratch is fresh
// in its steps. Whatever else is taken (held buffers, params, what is local to a call or on a disk)
// is a global, on a page of its own after the arenas. Windows are exactly the arenas and the
// globals.
//
// A call is a launch whose words are the addresses of its arguments; an argument without bytes has
// none. A counted loop of calls is a repeat. Of any other loop each call is one launch: its words
// never change, and the loop is one phase. A loop that runs no time runs nothing and takes nothing,
// wherever it stands.
//
// Extents say of every argument which bytes the launch reads and writes: all of them, by the call's
// access. Where a call may do both, it is taken to write what is fresh in its entry, as everywhere
// in planning; one that reads what is fresh is said to read as far as it was written. So no launch
// is refused for what nobody wrote; the warnings tell of that.
//
// `standing`: where some of that stands instead. Whether it stands apart is the certificate's
// question.
//
// `ops` are the nodes of the instance's first buffers, by BufferId, `arenas` where each device's
// arena begins. Refuses arenas that share addresses, what does not fit into 2^64 of them, and (as a
// limit, before any of it is made) tables of more than 2^23 rows, since loops may be shared, and
// 2^62 launches run.
Result<LoweredSchedule> lower(const Schedule& schedule, const Instance& instance,
                              std::span<const OpId> ops, const Packing& packing,
                              std::span<const Address> arenas,
                              std::span<const StandingStorage> standing = {});

}  // namespace berth
