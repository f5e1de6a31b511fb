#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "berth/certify/arena_sieve.h"
#include "berth/ir/verdict.h"

namespace berth {

// The union of a plan's windows.
class WindowSet {
 public:
  explicit WindowSet(std::span<const Window> windows);

  // Whether some address of it lies in a window.
  bool meets(AddressRange words) const;
  // Whether each does.
  bool covers(AddressRange words) const;
  // The first stretch of windows with a byte at `address` or later; null if there is none.
  const AddressRange* first_from(WideAddress address) const;
  // From the first address in a window to the end of the last; empty without windows.
  AddressRange extent() const;

 private:
  std::vector<AddressRange> stretches_;  // disjoint, in order
};

// A plan's ranges in order of their addresses, once rules A and B hold.
class ArenaRanges {
 public:
  // What breaks rule A or B otherwise. O(n log n).
  static std::variant<ArenaRanges, Finding> make(const PlaneTable& planes);

  // Whether words with these values may be given to a launch of the phase: they miss the windows,
  // or lie in one global or one plane of the phase. O(log n).
  bool allow(PhaseId phase, AddressRange words) const;
  // Whether each of such words may be given by itself.
  bool allow_each(PhaseId phase, std::span<const std::uint64_t> words) const;
  // The first hole (a stretch of windows that is in no global and in no plane of the phase) with a
  // byte at `from` or later, from there on; another may touch it. O(log n) a range passed over.
  std::optional<AddressRange> next_hole(PhaseId phase, WideAddress from) const;

  // Disjoint, in order.
  std::span<const PlacedRange> globals() const { return globals_; }
  std::span<const PlacedRange> planes(PhaseId phase) const;

 private:
  // The range that the phase names and that covers the words; null if there is none.
  const PlacedRange* find(PhaseId phase, AddressRange words) const;

  explicit ArenaRanges(const PlaneTable& planes) : windows_(planes.windows()) {}

  WindowSet windows_;
  std::vector<PlacedRange> globals_;
  std::vector<PlacedRange> planes_;  // phase by phase
  std::vector<std::size_t> begin_ = {0};
  std::vector<AddressSieve> sieves_;  // by phase
};

// The first of disjoint ranges in order that has a byte at `address` or later. O(log n).
std::span<const PlacedRange>::iterator first_from(std::span<const PlacedRange> ranges,
                                                  WideAddress address);

}  // namespace berth
