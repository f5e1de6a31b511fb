#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/ir/planes.h"
#include "berth/ir/schedule.h"
#include "berth/lower/lower.h"

namespace berth {

// The first two, by address, of arenas in one space of addresses that share some: their indices.
// O(n log n).
std::optional<std::pair<std::size_t, std::size_t>> find_that_meet(
    std::span<const AddressRange> arenas);

// Where the bytes of a placed schedule are: planned buffers in their arenas, everything else that
// an entry takes on pages of its own after them.
class AddressMap {
 public:
  // Refuses arenas that share addresses, and what does not fit into 2^64 of them.
  static Result<AddressMap> make(const Schedule& schedule, const Instance& instance,
                                 std::span<const OpId> ops, const Packing& packing,
                                 std::span<const Address> arenas,
                                 std::span<const StandingStorage> standing);

  const NamedRange& planned(BufferId id) const { return planned_[id.index()]; }
  std::span<const NamedRange> planned() const { return planned_; }
  std::span<const NamedRange> globals() const { return globals_; }
  std::span<const Window> windows() const { return windows_; }

  // How many planned buffers, the first, are nodes of the schedule.
  std::size_t node_count() const { return buffers_.size(); }
  // The planned buffer that a node of storage is.
  std::optional<BufferId> buffer(OpId storage) const;
  // Where the first byte of what a node names is. Nothing where it has no byte.
  std::optional<Address> address(const OpGraph& graph, OpId node) const;

 private:
  AddressMap() = default;
  std::optional<Error> place_globals(const Schedule& schedule,
                                     std::span<const StandingStorage> standing);

  std::vector<NamedRange> planned_;
  std::vector<NamedRange> globals_;
  std::vector<Window> windows_;
  std::unordered_map<OpId, BufferId> buffers_;       // looked up, never iterated
  std::unordered_map<OpId, std::size_t> global_of_;  // the same
};

}  // namespace berth
