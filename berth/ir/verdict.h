#pragma once

#include <cstdint>
#include <variant>

#include "berth/ir/launches.h"
#include "berth/ir/planes.h"

namespace berth {

// What the certificate of an arena finds. Rules (A) to (D) are those of docs/certificate.md.

struct Certified {
  friend bool operator==(const Certified&, const Certified&) = default;
};

// Rules A and B: a named range by itself is not one.
struct BadRange {
  enum class Why { Empty, PastEnd, Misaligned };
  RangeId range;
  Why why = Why::Empty;

  friend bool operator==(const BadRange&, const BadRange&) = default;
};

// Rules A and B: two ranges that are live together share bytes.
struct SharedRanges {
  RangeId first;
  RangeId second;

  friend bool operator==(const SharedRanges&, const SharedRanges&) = default;
};

// Rule C: nothing is declared for the launch's phase.
struct UndeclaredPhase {
  LaunchId launch;

  friend bool operator==(const UndeclaredPhase&, const UndeclaredPhase&) = default;
};

// Rule C: of the intervals that stand for this word, one meets a window, yet lies in no one range
// that the phase names.
struct StrayWord {
  LaunchId launch;
  std::uint32_t word = 0;

  friend bool operator==(const StrayWord&, const StrayWord&) = default;
};

// Rule D: when this instance begins, its carried plane has never been declared, or has been
// declared over since.
struct LostValue {
  std::uint64_t instance = 0;
  LaunchId launch;  // with which the instance begins
  RangeId plane;

  friend bool operator==(const LostValue&, const LostValue&) = default;
};

// Rule E: some value of this word and the bytes that the launch reads or writes from there on do
// not lie in one range that the phase names, whether in a window or not.
struct StrayAccess {
  LaunchId launch;
  std::uint32_t word = 0;

  friend bool operator==(const StrayAccess&, const StrayAccess&) = default;
};

// Rule F: a launch of this instance reads bytes of a fresh plane that none before it in the
// instance has written.
struct UnwrittenRead {
  std::uint64_t instance = 0;
  LaunchId launch;  // with which the instance begins
  LaunchId reader;
  std::uint32_t word = 0;
  RangeId plane;
  AddressRange bytes;    // that it reads; those of all iterations where they stand for one another
  AddressRange missing;  // the first of them, in the plane, that are not written

  friend bool operator==(const UnwrittenRead&, const UnwrittenRead&) = default;
};

using Finding = std::variant<Certified, BadRange, SharedRanges, UndeclaredPhase, StrayWord,
                             LostValue, StrayAccess, UnwrittenRead>;

// The smallest code that a schedule earns, and what earned it.
struct Verdict {
  Finding finding;
  std::uint64_t launches = 0;  // as written

  bool certified() const { return std::holds_alternative<Certified>(finding); }

  // 0 certified; 1 a bad plan; 2 + i where launch i strays; 2 + launches + k where instance k finds
  // a value lost.
  std::uint64_t code() const {
    if (certified()) return 0;
    if (const auto* undeclared = std::get_if<UndeclaredPhase>(&finding)) {
      return 2 + undeclared->launch.index();
    }
    if (const auto* stray = std::get_if<StrayWord>(&finding)) return 2 + stray->launch.index();
    if (const auto* lost = std::get_if<LostValue>(&finding)) return 2 + launches + lost->instance;
    if (const auto* access = std::get_if<StrayAccess>(&finding)) return 2 + access->launch.index();
    if (const auto* read = std::get_if<UnwrittenRead>(&finding)) {
      return 2 + launches + read->instance;
    }
    return 1;
  }

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace berth
