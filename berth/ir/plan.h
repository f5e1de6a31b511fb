#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/ir/asked.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/ir/program.h"
#include "berth/ir/target_use.h"

namespace berth {

// What berth.plan/1 holds (docs/formats/plan.md): the answer as it is written, checked and drawn.

struct PlannedArena {
  std::string device;
  std::string tier;  // may be empty
  ArenaFigures figures;
  // What a plan from another hand says of it, where that is not what its figures say.
  std::optional<bool> claims_proved_least;
  Alignment unit;                 // what sizes were rounded up to
  Alignment alignment;            // what the arena's first byte must be a multiple of
  std::optional<Bytes> capacity;  // as the user gave it; the reserve is part of it
  Bytes reserve;
  Address address;
  Bytes beside{};  // what is kept apart and lives in this memory too takes of the capacity

  // The memory that it stands in, as a packing problem has it.
  Device memory() const { return {device, capacity, reserve, beside}; }

  friend bool operator==(const PlannedArena&, const PlannedArena&) = default;
};

struct PlannedBuffer {
  std::string name;
  std::size_t arena = 0;  // index in Plan::arenas
  Offset offset;          // where its first byte is: place + skew
  Bytes bytes;
  Bytes skew;
  Alignment alignment;
  LiveRange life;
  std::vector<Gap> gaps;
  std::optional<Offset> fixed;         // the place that the question demanded
  std::optional<std::size_t> view_of;  // index in Plan::buffers: it is bytes of that buffer
  std::optional<std::size_t> reuses;   // index: it takes over that buffer's bytes as that one dies
  bool held = false;                   // its contents outlive the run, so it lives in all of it

  friend bool operator==(const PlannedBuffer&, const PlannedBuffer&) = default;
};

// What is not planned, and why.
enum class KeptWhy {
  Constant,
  Variable,
  Held,
  Disk,
  Dynamic,
  Param,
  CallLocal,
  Empty,
  Unused,
  PlannerOff,
};

struct KeptTensor {
  std::string name;
  KeptWhy why = KeptWhy::Constant;
  Bytes bytes;
  // The device whose memory it takes, where that is known: for all the run, or over these steps.
  std::optional<std::string> device{};
  std::optional<LiveRange> life{};

  friend bool operator==(const KeptTensor&, const KeptTensor&) = default;
};

// The file that was planned, by base name and digest (64 hexadecimal digits; may be empty).
struct PlanSource {
  std::string file;
  std::string sha256;

  friend bool operator==(const PlanSource&, const PlanSource&) = default;
};

struct Plan {
  PlanSource source;
  std::string packer;    // as it was asked for
  std::string found_by;  // the packer whose answer it is, such as one of those that "auto" tries
  std::uint64_t seed = 0;
  std::vector<PlannedArena> arenas;
  std::string ordering;  // the order that the executor must keep
  bool cut = false;      // a time limit stopped the search
  std::vector<PlannedBuffer> buffers;
  std::vector<KeptTensor> kept;
  std::vector<std::string> step_names;
  // By step, the operator of the source that it runs; empty where the source has none to tell.
  std::vector<std::optional<PhaseOrigin>> origins{};
  // What takes memory that the source does not tell, and no capacity counts; and how much of it a
  // runtime may be estimated to take.
  std::vector<std::string> not_counted{};
  std::optional<Bytes> estimate{};
  // Which of the source's steps runs at each step; empty: they keep their order.
  std::vector<std::size_t> order{};
  // Where it was made for a target: a device is a chip and a tier.
  std::optional<TargetUse> target{};
  Asked asked{};  // beyond the source

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace berth
