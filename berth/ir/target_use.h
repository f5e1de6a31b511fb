#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/ir/program.h"
#include "berth/ir/residency.h"

namespace berth {

// What a plan says of the target that it was made for.

// One memory of one chip.
struct TierUse {
  ChipId chip;
  Tier tier = Tier::Sram;
  std::optional<Bytes> capacity;  // nothing: not limited
  Bytes lasting;                  // of the peak: what outlives the step, at the bottom
  Bytes used;                     // the most that lives there at once
  Bytes peak;                     // the highest byte that anything reaches
  Bytes moved;                    // in a step, read and written
  std::optional<std::uint64_t>
      nanoseconds;  // that this takes, where the target says how fast it is

  // Nothing where the memory is not limited.
  std::optional<Bytes> free() const;

  friend bool operator==(const TierUse&, const TierUse&) = default;
};

// An intermediate that left the SRAM.
struct SpilledTensor {
  enum class Why {
    PushedOut,  // at `phase`, which was `short_by` bytes short
    LessWorth,  // others move more
    NoLayout,   // sums fit, but no layout was found with it
  };

  std::string program;
  std::string tensor;
  ChipId chip;
  Bytes bytes;
  Tier to = Tier::Dram;
  Why why = Why::PushedOut;
  std::optional<Step> phase;
  Bytes short_by;
  Bytes moved;  // in one run of the program

  friend bool operator==(const SpilledTensor&, const SpilledTensor&) = default;
};

// Bytes that a step moves off chip, and what they are made of.
struct OffChipUse {
  Bytes spilled;   // intermediates that left the SRAM
  Bytes unplaced;  // those that no SRAM could hold
  Bytes states;
  Bytes tables;
  Bytes weights;
  Bytes ends;  // inputs and outputs

  Bytes total() const { return spilled + unplaced + states + tables + weights + ends; }

  friend bool operator==(const OffChipUse&, const OffChipUse&) = default;
};

// What the arena certificate has seen of the plan's launches.
struct CertificateUse {
  std::uint64_t launches = 0;  // as written
  std::uint64_t executed = 0;
  std::uint64_t instances = 0;
  std::uint64_t words = 0;
  std::uint64_t words_in_windows = 0;

  // Nothing was seen, so nothing is proved.
  bool vacuous() const { return executed == 0 || words_in_windows == 0; }

  friend bool operator==(const CertificateUse&, const CertificateUse&) = default;
};

struct TargetUse {
  std::string name;
  std::string sha256;               // of the target's file
  std::vector<std::uint64_t> tile;  // that a model's tensors were stored in; may be empty
  Policy policy = Policy::Rule;
  std::vector<TierUse> tiers;  // chip by chip, from the SRAM down; those that exist or are used
  std::vector<SpilledTensor> spilled;
  OffChipUse off_chip;
  CertificateUse certificate;

  friend bool operator==(const TargetUse&, const TargetUse&) = default;
};

}  // namespace berth
