#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/ir/deployment.h"
#include "berth/ir/prices.h"
#include "berth/ir/program.h"

namespace berth {

// An intermediate that the SRAM does not hold, and what pushed it out.
struct Spill {
  TensorId tensor;
  ChipId chip;
  std::optional<Step> phase;  // at which it was pushed out; nothing where no one phase did
  Bytes short_by;             // what was live there, less what there was room for
  std::optional<Tier> tier;   // where it was declared to live
  Bytes moved;                // in one run

  friend bool operator==(const Spill&, const Spill&) = default;
};

// A part of an intermediate's life for which the SRAM holds it, from one use to another.
struct KeptStretch {
  LiveRange phases;
  Bytes saved;  // in one run

  friend bool operator==(const KeptStretch&, const KeptStretch&) = default;
};

// An intermediate that leaves the SRAM and may come back. `moved`, in one run: its accesses off
// chip, and its bytes each time that it is written back or fetched.
struct PartlyKept {
  TensorId tensor;
  ChipId chip;
  std::optional<Tier> tier;  // where it was declared to live
  std::vector<KeptStretch> stretches;
  Bytes moved;

  friend bool operator==(const PartlyKept&, const PartlyKept&) = default;
};

// An intermediate that no SRAM can hold: its chip holds no tensors between sections, or the host
// reads it.
struct Unplaced {
  TensorId tensor;
  ChipId chip;
  std::optional<Tier> tier;  // where it was declared to live
  Bytes moved;               // in one run
  bool host = false;
  bool pinned = false;  // it was to stay

  friend bool operator==(const Unplaced&, const Unplaced&) = default;
};

// A program's own table: a state that no step leaves for the next.
struct TableResidency {
  StateClass table;  // one instance
  TensorId tensor;
  bool on_chip = false;

  friend bool operator==(const TableResidency&, const TableResidency&) = default;
};

struct ProgramResidency {
  std::string name;
  std::uint64_t layers = 1;
  std::vector<Bytes> buffer_footprint;          // by ChipId
  std::vector<Bytes> sram_footprint;            // by ChipId; tables not counted
  std::vector<bool> on_chip;                    // by TensorId
  std::vector<std::optional<LiveRange>> lives;  // by TensorId; of a view, its root's
  std::vector<Spill> spilled;
  std::vector<PartlyKept> partly;  // by TensorId; on_chip says no of them
  Bytes traffic;                   // moved bytes of these and the spilled, one run of the program
  std::vector<Unplaced> apart;     // by TensorId
  Bytes unplaced;                  // moved bytes of these, one run of the program
  std::vector<TableResidency> tables;  // in rank order

  friend bool operator==(const ProgramResidency&, const ProgramResidency&) = default;
};

struct ClassResidency {
  StateClass state;
  Tier tier = Tier::Dram;
  // Of its instances, where they part ways: the first so many are in SRAM, the rest in `tier`.
  std::uint64_t split = 0;
  // Of an instance, as the input has it, where `state.bytes` are rounded up to whole units.
  std::optional<Bytes> declared = std::nullopt;

  std::uint64_t on_chip() const { return tier == Tier::Sram ? state.instances : split; }

  friend bool operator==(const ClassResidency&, const ClassResidency&) = default;
};

struct ChipResidency {
  Bytes sram;     // that anybody may use
  Bytes reserve;  // what the largest program takes while it runs
  Bytes states;   // bytes held in SRAM
  Bytes hbm;      // bytes of states held there
  Bytes dram;

  Bytes room() const { return sram < reserve ? Bytes(0) : sram - reserve; }

  friend bool operator==(const ChipResidency&, const ChipResidency&) = default;
};

// Why no plan of this kind can hold: what is needed where, and what there is.
struct Obstacle {
  enum class Kind {
    BufferPastSite,   // a buffer ends past its site's memory
    BuffersPastSram,  // the buffers of a chip, past what may be used of its SRAM
    PinnedPastSram,   // what must stay, past what the buffers leave at a phase
    ReservePastSram,  // a given reserve, past the SRAM
    DramFull,         // what is not in SRAM, past the memory of the last tier
    NoMemory,         // the same, of a chip that has no such memory
    NoLayout,         // what must stay has no addresses that were found, though its sum fits
  };

  Kind kind = Kind::BufferPastSite;
  std::string program;
  ChipId chip;
  std::uint64_t site = 0;
  std::size_t buffer = 0;
  Step phase = 0;
  Bytes needed;
  Bytes available;
  std::vector<std::string> names;  // of what takes part

  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

enum class Policy { Rule, Best };

// Bytes a step moves off chip, and what they are made of.
struct OffChip {
  Bytes spilled;   // layers x traffic
  Bytes tables;    // layers x moved, of tables not kept
  Bytes states;    // instances x moved, of what is not in SRAM
  Bytes unplaced;  // layers x unplaced

  Bytes total() const { return spilled + tables + states + unplaced; }

  friend bool operator==(const OffChip&, const OffChip&) = default;
};

// Where a deployment keeps what it holds between sections and between steps.
struct Residency {
  Policy policy = Policy::Rule;
  std::vector<ChipResidency> chips;        // by ChipId
  std::vector<ProgramResidency> programs;  // as deployed
  std::vector<ClassResidency> classes;     // in rank order
  std::vector<Obstacle> obstacles;         // none: the plan is feasible

  OffChip off_chip() const;
  bool feasible() const { return obstacles.empty(); }

  friend bool operator==(const Residency&, const Residency&) = default;
};

// What one chip's SRAM was asked to hold, what stays (times, by item), and the prices that bound
// what could.
struct ChipCertificate {
  ChipId chip;
  Choice choice;
  std::vector<std::uint64_t> kept;
  Prices prices;

  friend bool operator==(const ChipCertificate&, const ChipCertificate&) = default;
};

// Why an intermediate is off chip. Under the rule: at the phase that pushed it out. Under the best:
// at the phase of its life with the least room, beside what the plan keeps.
struct SpillReason {
  Step phase = 0;
  Bytes short_by;
  std::vector<TensorId> beside;  // who else was live in the SRAM there, the largest first
  std::size_t more_beside = 0;   // and how many more
  // By the rule: the least SRAM above the chip's own at which it would stay. Nothing where it was
  // not found within the effort; under the best, whose plan for another SRAM may be any other one.
  std::optional<Bytes> stays_from;

  friend bool operator==(const SpillReason&, const SpillReason&) = default;
};

// A tensor's place in the part of the SRAM that buffers and states leave.
struct PlacedTensor {
  TensorId tensor;
  Offset offset;
  std::optional<LiveRange> stretch = std::nullopt;  // where it stays for a part of its life

  friend bool operator==(const PlacedTensor&, const PlacedTensor&) = default;
};

// Where a phase's scratch stands there.
struct PlacedScratch {
  Step phase = 0;
  Offset offset;

  friend bool operator==(const PlacedScratch&, const PlacedScratch&) = default;
};

// What a program keeps on one chip, at addresses: sums are not addresses.
struct Layout {
  ChipId chip;
  Bytes room;         // that the buffers and the states leave
  Bytes arena;        // that the layout takes, in whole units of the chip's alignment
  Bytes max_load;     // the largest sum of what lives at once, before anything was forced out
  Bytes lower_bound;  // no layout of what is kept takes less
  std::vector<PlacedTensor> places;    // by TensorId
  std::vector<PlacedScratch> scratch;  // by phase
  // By sums these fit, but no layout was found with them; by TensorId.
  // Of one that stays for parts of its life: once for each part that left.
  std::vector<TensorId> forced_out;
  Bytes forced_traffic;  // what those move in one run
  bool fits = true;      // false: what must stay has no layout that was found

  friend bool operator==(const Layout&, const Layout&) = default;
};

// What a step moves through the tiers below a chip's SRAM, and how long that takes where the target
// says how fast they are.
struct TierTraffic {
  Bytes hbm;
  Bytes dram;
  std::optional<std::uint64_t> hbm_nanoseconds;
  std::optional<std::uint64_t> dram_nanoseconds;

  friend bool operator==(const TierTraffic&, const TierTraffic&) = default;
};

// A plan beside what else could be: bytes a step moves off chip by the rule, by the best that was
// found, and the least that is proved to be possible.
struct ResidencyAnswer {
  Residency plan;
  Bytes rule;
  Bytes best;
  Bytes bound;
  std::optional<Bytes>
      best_of_whole;        // where lives may be cut: the best that was found of whole ones
  Bytes nothing_kept;       // the same if no SRAM held anything that may leave it
  bool concurrent = false;  // programs run at once
  std::vector<ChipCertificate> certificates;
  std::vector<TierTraffic> traffic;               // by ChipId
  std::vector<std::vector<SpillReason>> reasons;  // by program, by spill; of the first of them
  std::vector<std::vector<SpillReason>> away;  // the same of what is partly kept, while it is not
  std::vector<std::vector<Layout>> layouts;    // by program: a chip each that keeps anything

  friend bool operator==(const ResidencyAnswer&, const ResidencyAnswer&) = default;
};

// What a written residency says of why a tensor is off chip, as far as it says it.
struct ReasonClaim {
  std::optional<std::uint64_t> chip;
  std::optional<Bytes> bytes;
  std::optional<Step> phase;           // that pushed it out
  std::optional<Step> tightest_phase;  // of those for which it is off chip
  std::optional<Bytes> short_by;
  std::optional<std::vector<std::string>> beside;
  std::optional<std::uint64_t> more_beside;
  std::optional<Bytes> stays_from;

  friend bool operator==(const ReasonClaim&, const ReasonClaim&) = default;
};

struct SpillClaim {
  std::string tensor;
  ReasonClaim why;

  friend bool operator==(const SpillClaim&, const SpillClaim&) = default;
};

// A tensor, and the phases for which it is in SRAM.
struct PartlyClaim {
  std::string tensor;
  std::vector<LiveRange> stretches;
  Bytes moved;  // in one run
  ReasonClaim why;

  friend bool operator==(const PartlyClaim&, const PartlyClaim&) = default;
};

struct PlaceClaim {
  std::string tensor;
  Bytes offset;
  std::optional<Bytes> bytes;
  std::optional<LiveRange> stretch;

  friend bool operator==(const PlaceClaim&, const PlaceClaim&) = default;
};

struct ScratchClaim {
  Step phase = 0;
  Bytes offset;

  friend bool operator==(const ScratchClaim&, const ScratchClaim&) = default;
};

// Where a program's tensors stand in the SRAM of one chip.
struct LayoutClaim {
  std::uint64_t chip = 0;
  Bytes room;
  Bytes arena;
  Bytes max_load;
  std::vector<PlaceClaim> places;
  std::vector<ScratchClaim> scratch;
  std::vector<std::string> forced_out;

  friend bool operator==(const LayoutClaim&, const LayoutClaim&) = default;
};

// What a written residency says of a program. Names are those of its tensors.
struct ProgramClaim {
  std::string name;
  std::uint64_t layers = 1;
  std::vector<Bytes> buffer_footprint;  // by ChipId
  std::vector<Bytes> sram_footprint;    // by ChipId
  std::vector<std::string> tables;      // on chip
  std::vector<SpillClaim> spilled;
  std::vector<PartlyClaim> partly;
  Bytes traffic;
  std::optional<Bytes> traffic_placed;
  Bytes unplaced;
  std::optional<std::vector<LayoutClaim>> layout;

  friend bool operator==(const ProgramClaim&, const ProgramClaim&) = default;
};

// Bytes of states below a chip's SRAM, where a written residency says them.
struct BelowClaim {
  std::optional<Bytes> hbm;
  std::optional<Bytes> dram;

  friend bool operator==(const BelowClaim&, const BelowClaim&) = default;
};

// What a written residency says, from any hand: enough to judge it without what it was made of.
struct ResidencyClaim {
  Policy policy = Policy::Rule;
  std::optional<std::string> deployment;
  bool feasible = true;
  bool concurrent = false;
  std::vector<ProgramClaim> programs;
  std::vector<ChipResidency> chips;     // by ChipId; what is below the SRAM stands in `below`
  std::vector<BelowClaim> below;        // by ChipId
  std::vector<ClassResidency> classes;  // in rank order
  OffChip parts;                        // of the plan
  Bytes rule;
  Bytes best;
  Bytes bound;
  std::optional<Bytes> best_of_whole;
  Bytes nothing_kept;
  std::optional<std::vector<TierTraffic>> traffic;  // by ChipId
  std::optional<std::vector<Obstacle>> obstacles;
  std::vector<ChipCertificate> certificates;

  friend bool operator==(const ResidencyClaim&, const ResidencyClaim&) = default;
};

std::string_view to_string(Tier tier);
// As berth.residency/1 writes it.
std::string_view to_string(Obstacle::Kind kind);
std::string_view to_string(Policy policy);

}  // namespace berth
