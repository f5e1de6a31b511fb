#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/ir/planes.h"

namespace berth {

// What an independent check of a plan may find. Buffers and arenas are named by their index in the
// plan.

// The plan does not say a placement at all: nothing else about this buffer can be asked.
struct MalformedBuffer {
  enum class Why {
    NoSuchArena,
    EmptyLife,
    EmptyGap,
    GapOutsideLife,
    GapsOutOfOrder,
    KeptOutsideBuffer,
    StartsBeforeArena,  // its skew is larger than its offset
    EndPast64Bits,
    ExtentPast64Bits,
    NoSuchBase,
    NoSuchDonor,
    ViewOfItself,  // maybe by way of other views
    ViewThatReuses,
  };
  std::size_t buffer = 0;
  Why why = Why::NoSuchArena;

  friend bool operator==(const MalformedBuffer&, const MalformedBuffer&) = default;
};

// The arena's address is not a multiple of `alignment`, its own or that of a buffer in it; or its
// last byte has no address in 64 bits.
struct MisplacedArena {
  std::size_t arena = 0;
  Alignment alignment;
  bool past_64_bits = false;

  friend bool operator==(const MisplacedArena&, const MisplacedArena&) = default;
};

struct PastCapacity {
  std::size_t arena = 0;
  Bytes need;
  Bytes capacity;  // nominal
  Bytes usable;    // less the reserve and what stands beside
  Bytes beside;    // what is kept apart takes of it

  friend bool operator==(const PastCapacity&, const PastCapacity&) = default;
};

struct PastArenaEnd {
  std::size_t buffer = 0;
  std::uint64_t end = 0;
  Bytes arena_bytes;

  friend bool operator==(const PastArenaEnd&, const PastArenaEnd&) = default;
};

struct Misaligned {
  std::size_t buffer = 0;
  Offset place;

  friend bool operator==(const Misaligned&, const Misaligned&) = default;
};

// The question demanded another place.
struct MovedFixed {
  std::size_t buffer = 0;
  Offset demanded;
  Offset place;

  friend bool operator==(const MovedFixed&, const MovedFixed&) = default;
};

struct BadView {
  enum class Why { OtherArena, OutsideBytes, OutsideLife, BaseDoesNotHold };
  std::size_t buffer = 0;
  std::size_t base = 0;
  Why why = Why::OtherArena;

  friend bool operator==(const BadView&, const BadView&) = default;
};

struct BadReuse {
  enum class Why {
    Itself,
    OtherArena,
    OtherOffset,
    TooLarge,
    NotAtLastStep,
    DonorInGap,      // it holds nothing there that could be taken over
    BaseLivesOn,     // the donor is a view of bytes that are used later
    HandedOnAtOnce,  // the donor itself takes over its bytes in that step
  };
  std::size_t buffer = 0;
  std::size_t donor = 0;
  Why why = Why::Itself;

  friend bool operator==(const BadReuse&, const BadReuse&) = default;
};

// Both are live at `step`, the first at which they meet, and both hold `bytes` of their arena.
struct SharedBytes {
  std::size_t first = 0;  // the lower index
  std::size_t second = 0;
  Step step = 0;
  ByteRange bytes;

  friend bool operator==(const SharedBytes&, const SharedBytes&) = default;
};

// Two arenas stand on the same `addresses` of one space of addresses: that of one device, or of all
// the memories of a target.
struct SharedAddresses {
  std::size_t first = 0;  // the one that begins first
  std::size_t second = 0;
  AddressRange addresses;

  friend bool operator==(const SharedAddresses&, const SharedAddresses&) = default;
};

// A figure of the plan is not what its buffers say.
struct WrongClaim {
  enum class Claim {
    MaxLoad,
    MaxLoadUnpadded,
    PeakStep,
    LowerBoundBelowLoad,
    LowerBoundAbovePeak,
    LowerBoundAboveNeed,  // found: the bytes into which the buffers go
    ProvedLeast,          // claimed: the bytes, found: the lower bound
  };
  std::size_t arena = 0;
  Claim claim = Claim::MaxLoad;
  std::uint64_t claimed = 0;
  std::optional<std::uint64_t> found;  // nothing: more than 64 bits hold

  friend bool operator==(const WrongClaim&, const WrongClaim&) = default;
};

using PlacementFault =
    std::variant<MalformedBuffer, MisplacedArena, PastCapacity, PastArenaEnd, Misaligned,
                 MovedFixed, BadView, BadReuse, SharedBytes, SharedAddresses, WrongClaim>;

// All that a check found. One mistake may break thousands of buffers in the same way: every fault
// is counted, and of each kind the first few are kept.
class PlacementVerdict {
 public:
  static constexpr std::size_t kKept = 16;  // of a kind

  void add(const PlacementFault& fault) {
    if (counts_[fault.index()]++ < kKept) faults_.push_back(fault);
  }

  bool sound() const { return faults_.empty(); }
  std::span<const PlacementFault> faults() const& { return faults_; }
  std::span<const PlacementFault> faults() const&& = delete;  // they would go with the verdict
  // How many there are of the kind of `fault`.
  std::uint64_t count_like(const PlacementFault& fault) const { return counts_[fault.index()]; }
  template <typename Kind>
  std::uint64_t count() const {
    return count_like(Kind{});
  }

  friend bool operator==(const PlacementVerdict&, const PlacementVerdict&) = default;

 private:
  std::vector<PlacementFault> faults_;
  std::array<std::uint64_t, std::variant_size_v<PlacementFault>> counts_{};
};

}  // namespace berth
