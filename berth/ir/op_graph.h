#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/dtype.h"

namespace berth {

using OpId = Id<struct OpTag>;

// The nodes of a schedule (docs/formats/schedule.md). By what `sources` hold:
//
//   Buffer Param Alloc   none: storage that outlives the call, is passed in, or is call-local
//   Shrink Bitcast       [viewed]
//   After                [viewed, what it comes after...]
//   Kernel Store         anything: the body's own business
//   Call                 [body, arguments...]
//   Linear               [entries...]: calls and loops, in order
//   End                  [linear, call or loop]: a counted loop
//   BackEdge             [linear, call or loop, flag]: repeats while the flag holds
enum class OpKind {
  Buffer,
  Param,
  Alloc,
  Shrink,
  Bitcast,
  After,
  Kernel,
  Store,
  Call,
  Linear,
  End,
  BackEdge,
};

std::string_view to_string(OpKind kind);
std::optional<OpKind> op_kind_of(std::string_view name);

struct Storage {
  std::uint64_t slot = 0;
  Dtype dtype = Dtype::int8();
  std::uint64_t elements = 0;
  std::string device;
  std::uint8_t skew = 0;  // where its first byte sits within its aligned block
  std::string name;       // may be empty

  friend bool operator==(const Storage&, const Storage&) = default;
};

// One letter an argument of a call: 'r', 'w' or 'b' (both). Empty: all both.
struct CallAccess {
  std::string letters;

  friend bool operator==(const CallAccess&, const CallAccess&) = default;
};

struct BodyName {
  std::string name;

  friend bool operator==(const BodyName&, const BodyName&) = default;
};

// How often a loop runs; of a back edge, at most (nothing: no bound is known).
struct LoopCount {
  std::optional<std::uint64_t> count;

  friend bool operator==(const LoopCount&, const LoopCount&) = default;
};

using ElementRange = HalfOpen<std::uint64_t>;

// Storage for Buffer, Param, Alloc; ElementRange for Shrink; Dtype for Bitcast; BodyName for Kernel
// and Store; CallAccess for Call; LoopCount for End and BackEdge; nothing for the others.
using OpAttributes =
    std::variant<std::monostate, Storage, ElementRange, Dtype, BodyName, CallAccess, LoopCount>;

struct Op {
  OpKind kind = OpKind::Kernel;
  std::vector<OpId> sources;
  OpAttributes attributes;

  friend bool operator==(const Op&, const Op&) = default;
};

// Ops by kind, for those who build a graph.
Op buffer_op(Storage storage);
Op param_op(Storage storage);
Op alloc_op(Storage storage);
Op shrink_op(OpId viewed, ElementRange elements);
Op bitcast_op(OpId viewed, Dtype dtype);
Op after_op(OpId viewed, std::span<const OpId> ordered_after);
Op kernel_op(std::string name, std::vector<OpId> sources = {});
Op store_op(std::string name, std::vector<OpId> sources = {});
Op call_op(OpId body, std::span<const OpId> arguments, std::string access = {});
Op linear_op(std::vector<OpId> entries);
Op end_op(OpId repeated, std::uint64_t count);
Op back_edge_op(OpId repeated, OpId flag, std::optional<std::uint64_t> bound = {});

// What storage, or a view of it, names: bytes of its base, read as elements of a type. Elements of
// fewer than 8 bits may begin inside the first of these bytes; what views them goes on from there.
struct View {
  OpId base;
  ByteRange bytes;  // of the base, from its first byte: all that its elements touch
  Dtype dtype = Dtype::int8();
  std::uint64_t elements = 0;
  std::uint8_t bit = 0;  // of its first byte, where its first element begins

  friend bool operator==(const View&, const View&) = default;
};

// Hash-consed nodes, each referring only to earlier ones: equal nodes are one node. Every node in
// the graph is well formed (`add` has refused the others), so who walks it asks nothing again.
class OpGraph {
 public:
  // The node equal to `op`, added unless it is there already. Amortised O(sources).
  // Refuses, with the offending field as the place: a source past the end or of a wrong kind,
  // a view past the end of what it views, sizes past 64 bits, an access letter too many or unknown.
  Result<OpId> add(Op op);

  std::size_t size() const { return ops_.size(); }
  const Op& operator[](OpId id) const { return ops_[id.index()]; }

  // What the node names if it is storage or a view of storage. O(1) however long the chain.
  const std::optional<View>& view(OpId id) const { return views_[id.index()]; }
  // The buffer, param or alloc at the end of a chain of views.
  std::optional<OpId> storage_base(OpId id) const;
  // Of a node that is Buffer, Param or Alloc.
  const Storage& storage(OpId id) const { return std::get<Storage>((*this)[id].attributes); }

 private:
  std::vector<Op> ops_;
  std::vector<std::optional<View>> views_;
  std::unordered_multimap<std::size_t, OpId> by_hash_;  // looked up, never iterated
};

// Every node that the roots reach, sources before the nodes that use them, in the order in which a
// walk from the roots finishes them. No recursion; O(nodes + sources).
std::vector<OpId> reachable(const OpGraph& graph, std::span<const OpId> roots);
// The same without what only the bodies of calls reach; the bodies themselves are there.
std::vector<OpId> reachable_outside_bodies(const OpGraph& graph, std::span<const OpId> roots);

// The roots with `from` replaced by `to` (nodes of the same graph) wherever they are reached
// outside bodies, which stay as they are by whichever way they are reached. Nodes without a
// replaced source stay the nodes they are, shared nodes stay shared. New nodes are added to the
// graph. Refuses what OpGraph::add refuses.
Result<std::vector<OpId>> substitute(OpGraph& graph, std::span<const OpId> roots,
                                     std::span<const std::pair<OpId, OpId>> replacements);

}  // namespace berth
