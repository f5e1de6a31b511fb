#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "berth/ir/verdict.h"

namespace berth {

// What a verdict on an arena rests on, and why it is what it is: everything its text says, as data.

// How much of a schedule the certificate has seen, and of its plan. Where launches are on several
// queues, or on one that is out of order, the verdict is of the order in which they stand. A pass
// that saw no word in any window, or no launch run, is vacuous.
struct ArenaCoverage {
  std::uint64_t launches = 0;          // as written
  std::uint64_t executed = 0;          // launches run
  std::uint64_t instances = 0;         // maximal runs of one phase
  std::uint64_t words = 0;             // as written
  std::uint64_t words_in_windows = 0;  // of them, those of which some value lies in a window
  std::vector<RangeId> outside;        // named ranges that no windows cover: no word is held
                                       // against them there
  std::uint64_t with_extents = 0;      // of those, words with an extent
  std::uint64_t anonymous = 0;         // ranges without a name, told apart by place alone
  std::uint64_t planes = 0;            // of the phases that are run
  WideAddress shared_bytes = 0;        // addresses that several tensors take among these planes
  std::uint64_t queues = 0;            // that launches which are run are on
  bool in_order = true;                // they are on one, which runs them one after another

  bool vacuous() const { return words_in_windows == 0 || executed == 0; }
  friend bool operator==(const ArenaCoverage&, const ArenaCoverage&) = default;
};

struct BadRangeReport {
  BadRange bad;
  std::uint64_t past_multiple = 0;  // how far it is past a multiple of the alignment

  friend bool operator==(const BadRangeReport&, const BadRangeReport&) = default;
};

struct SharedRangesReport {
  SharedRanges ranges;
  AddressRange bytes;  // that both hold

  friend bool operator==(const SharedRangesReport&, const SharedRangesReport&) = default;
};

// A range near an address: its nearest byte is `distance` away.
struct NearRange {
  RangeId range;
  std::uint64_t distance = 0;

  friend bool operator==(const NearRange&, const NearRange&) = default;
};

struct StrayWordReport {
  StrayWord stray;
  AddressRange interval;  // that lies in no one range
  // The first iteration whose value strays. Nothing where none does: the interval is a hull, and
  // the exact rule would accept the word.
  std::optional<std::uint64_t> iteration;
  std::uint64_t iterations = 1;
  std::uint64_t value = 0;         // there, or the interval's first
  std::optional<NearRange> below;  // that the phase names, where a value strays
  std::optional<NearRange> above;
  std::optional<RangeId> elsewhere;  // a plane of another phase that holds the value

  friend bool operator==(const StrayWordReport&, const StrayWordReport&) = default;
};

// An instance that declares a plane.
struct Declaration {
  std::uint64_t instance = 0;
  LaunchId launch;  // with which the instance begins
  RangeId plane;

  friend bool operator==(const Declaration&, const Declaration&) = default;
};

struct LostValueReport {
  LostValue lost;
  std::optional<Declaration> declared;     // the last before; nothing: nobody ever did
  std::optional<Declaration> overwritten;  // the first since, with the plane that took its bytes

  friend bool operator==(const LostValueReport&, const LostValueReport&) = default;
};

struct StrayAccessReport {
  StrayAccess stray;
  Extent extent;          // of the word
  AddressRange interval;  // from an address to the end of the bytes; in no one range, or past 2^64
  // The first iteration whose bytes stray. Nothing where none do: the interval is a hull's, and the
  // exact rule would accept the word.
  std::optional<std::uint64_t> iteration;
  std::uint64_t iterations = 1;
  std::uint64_t value = 0;       // there, or the interval's first
  std::optional<RangeId> range;  // that the phase names and that holds the value
  WideAddress past = 0;          // how far the bytes go past its end

  friend bool operator==(const StrayAccessReport&, const StrayAccessReport&) = default;
};

using ArenaReport =
    std::variant<Certified, BadRangeReport, SharedRangesReport, UndeclaredPhase, StrayWordReport,
                 LostValueReport, StrayAccessReport, UnwrittenRead>;

}  // namespace berth
