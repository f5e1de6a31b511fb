#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/certify/arena_sieve.h"
#include "berth/ir/verdict.h"

namespace berth {

using Stretches = std::span<const AddressRange>;  // disjoint, in order

constexpr AddressRange at_one_address(std::uint64_t address) {
  return {address, WideAddress(address) + 1};
}

// The first stretch that has a byte at `address` or later; null if there is none. O(log n).
const AddressRange* first_from(Stretches stretches, WideAddress address);

// The union of windows.
std::vector<AddressRange> merged(std::span<const Window> windows);

// A plan's ranges in order of their addresses.
class ArenaRanges {
 public:
  // O(n log n).
  explicit ArenaRanges(const PlaneTable& planes);

  // What breaks rule A or B. What follows is for plans that keep them.
  const std::optional<Finding>& fault() const { return fault_; }

  // Whether words with these values may be given to a launch of the phase: they miss the windows,
  // or lie in one global or one plane of the phase. O(log n).
  bool allow(PhaseId phase, AddressRange words) const;
  // Whether each of such words may be given by itself.
  bool allow_each(PhaseId phase, std::span<const std::uint64_t> words) const;

  Stretches windows() const { return windows_; }
  Stretches globals() const { return globals_; }
  Stretches planes(PhaseId phase) const {
    const std::size_t begin = begin_[phase.index()];
    return Stretches(planes_).subspan(begin, begin_[phase.index() + 1] - begin);
  }

 private:
  std::optional<Finding> place(const PlaneTable& planes);

  std::vector<AddressRange> windows_;
  std::vector<AddressRange> globals_;
  std::vector<AddressRange> planes_;  // phase by phase
  std::vector<std::size_t> begin_ = {0};
  std::vector<AddressSieve> sieves_;  // by phase
  std::optional<Finding> fault_;
};

}  // namespace berth
