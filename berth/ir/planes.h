#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"

namespace berth {

using PhaseId = Id<struct PhaseTag>;  // of a plane table

// A range of addresses may end at 2^64, one past what an address can say.
__extension__ using WideAddress = unsigned __int128;
using AddressRange = HalfOpen<WideAddress>;
inline constexpr WideAddress kAddressEnd = WideAddress(1) << 64;

// `bytes` from `address` on. It may pass 2^64: then it is no set of addresses.
constexpr AddressRange addresses(Address address, Bytes bytes) {
  return {address.value(), WideAddress(address.value()) + bytes.count()};
}

// A stretch of addresses in which every word of a launch is held against what its phase names.
struct Window {
  Address address;
  Bytes bytes;

  friend bool operator==(const Window&, const Window&) = default;
};

// A tensor's place. Equal ones are the same tensor; another name at the same place is another
// tensor, since a plan names every tensor it places.
struct NamedRange {
  std::string name;
  Address address;
  Bytes bytes;

  AddressRange extent() const { return addresses(address, bytes); }
  friend bool operator==(const NamedRange&, const NamedRange&) = default;
};

// A tensor of one phase: written there before it is read, or carried: it holds what an earlier
// phase left.
struct Plane {
  NamedRange range;
  bool carried = false;

  friend bool operator==(const Plane&, const Plane&) = default;
};

struct PhasePlanes {
  std::string phase;  // any bytes; equal bytes are the same phase
  std::vector<Plane> planes;

  friend bool operator==(const PhasePlanes&, const PhasePlanes&) = default;
};

// A plane of a phase, or a global where no phase is given.
struct RangeId {
  std::optional<PhaseId> phase;
  std::uint32_t index = 0;

  friend auto operator<=>(const RangeId&, const RangeId&) = default;
};

// What an arena's plan names: ranges that live for the whole program, and the planes of each phase.
//
// What `make` has checked stays true: the alignment is at least 1, every window has a byte and ends
// at 2^64 at most, no phase is declared twice. Whether the ranges are sound is certify's question.
class PlaneTable {
 public:
  // Refuses, with the field's path ("windows[2].bytes") as the place, what breaks the promises.
  static Result<PlaneTable> make(std::uint64_t alignment, std::vector<Window> windows,
                                 std::vector<NamedRange> globals, std::vector<PhasePlanes> phases);

  // Any integer from 1: what the address of every range must be a multiple of.
  std::uint64_t alignment() const { return alignment_; }
  std::span<const Window> windows() const { return windows_; }
  std::span<const NamedRange> globals() const { return globals_; }
  std::span<const PhasePlanes> phases() const { return phases_; }
  const PhasePlanes& operator[](PhaseId id) const { return phases_[id.index()]; }
  // The phase of this name, if it is declared. O(log phases).
  std::optional<PhaseId> find(std::string_view phase) const;
  const NamedRange& operator[](const RangeId& id) const {
    return id.phase ? (*this)[*id.phase].planes[id.index].range : globals_[id.index];
  }

  friend bool operator==(const PlaneTable&, const PlaneTable&) = default;

 private:
  PlaneTable() = default;

  std::uint64_t alignment_ = 1;
  std::vector<Window> windows_;
  std::vector<NamedRange> globals_;
  std::vector<PhasePlanes> phases_;
  std::vector<PhaseId> by_name_;
};

}  // namespace berth
