#pragma once

#include <span>
#include <vector>

#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/plan.h"
#include "berth/ir/schedule.h"

namespace berth {

// The storage (buffer, param or alloc) that an entry of a schedule takes, each once, in the order
// in which its calls take it: what each argument names or views. A loop takes what each of its
// calls takes, nested loops included, then a back edge's flag.
// Source: `taken` of Tolk.Memory. No recursion; O(nodes of the entry).
std::vector<OpId> taken(const OpGraph& graph, OpId entry);
// The same without what stands in loops that are counted to 0: what the entry's run takes.
std::vector<OpId> taken_in_run(const OpGraph& graph, OpId entry);

// Of a loop: whether it is counted to 0 (a back edge's bound may be 0 too). False of other nodes.
bool runs_no_time(const OpGraph& graph, OpId entry);

struct StorageLife {
  OpId storage;
  LiveRange life;  // [first entry that takes it, last + 1)

  friend bool operator==(const StorageLife&, const StorageLife&) = default;
};

// Every storage that some entry takes, in order of first appearance (argument order within an
// entry). O(nodes), however often entries share their calls.
std::vector<StorageLife> storage_lives(const Schedule& schedule);

struct KeptStorage {
  OpId storage;
  KeptWhy why = KeptWhy::Held;

  friend bool operator==(const KeptStorage&, const KeptStorage&) = default;
};

// The packing problem that a schedule poses: its planned buffers in order of first appearance,
// arenas' devices in the order in which their first buffer appears, sizes in whole units.
struct ScheduleInstance {
  Instance instance;
  std::vector<OpId> ops;                // by BufferId
  std::vector<KeptStorage> kept;        // by first appearance, then those that no entry takes
  std::vector<std::string> kept_names;  // beside `kept`
};

// A buffer is planned if it has a byte, some entry takes it, nothing holds it (`held` adds to what
// the schedule holds; a held view holds what it views) and it is not on a disk. Buffers are named
// after themselves, or "slot N"; a name met before gets " #" and its node. Steps are named after
// the bodies of their calls (as a limit, in no more than 2^26 bytes). `unit` is a multiple of the
// 256 bytes in which a skew is told.
Result<ScheduleInstance> schedule_instance(const Schedule& schedule,
                                           std::span<const OpId> held = {},
                                           Alignment unit = *Alignment::of(kScheduleUnit));

// By step, the device on which it runs: that of the first storage its entry takes that is on a
// device of the instance. Nothing where it takes none. O(nodes), however often entries share their
// calls.
std::vector<std::optional<DeviceId>> step_devices(const Schedule& schedule,
                                                  const Instance& instance);

}  // namespace berth
