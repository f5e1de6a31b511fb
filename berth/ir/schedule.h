#pragma once

#include <span>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/op_graph.h"

namespace berth {

// What sizes of buffers on a device are rounded up to, and places are multiples of.
inline constexpr std::uint64_t kScheduleUnit = 256;

// A linear of calls and loops, run in order, over storage; `held` lists nodes whose contents
// outlive it.
//
// What `make` has checked stays true: the root is a linear, held nodes name storage, a slot of a
// device is one buffer (one param, one alloc), and the
// extents (256-byte units, skew included) of all storage that the root or a held node reaches
// outside bodies add up within 64 bits.
class Schedule {
 public:
  static Result<Schedule> make(OpGraph graph, OpId root, std::vector<OpId> held);

  const OpGraph& graph() const { return graph_; }
  OpId root() const { return root_; }
  // The linear's entries, in order: each a Call, End or BackEdge.
  std::span<const OpId> entries() const { return graph_[root_].sources; }
  std::span<const OpId> held() const { return held_; }

 private:
  Schedule(OpGraph graph, OpId root, std::vector<OpId> held)
      : graph_(std::move(graph)), root_(root), held_(std::move(held)) {}

  OpGraph graph_;
  OpId root_;
  std::vector<OpId> held_;
};

// The whole 256-byte units that a buffer, param or alloc takes: round_up(bytes + skew, 256); none
// where it has no byte.
Bytes storage_extent(const OpGraph& graph, OpId id);

// A device whose name is DISK or TINYFS, or begins with DISK: or TINYFS:.
bool is_disk(std::string_view device);

}  // namespace berth
