#pragma once

#include <vector>

#include "berth/ir/schedule.h"

namespace berth {

// Whether storage is what a rewrite makes of an arena: a buffer of int8 without name or skew, on no
// disk.
bool looks_like_arena(const OpGraph& graph, OpId id);

// Which tensor a node of a schedule names, where its own nodes are all there is to tell them apart.
//
// An arena, as a rewrite leaves it, is a buffer of int8 without name or skew, a multiple of 256
// bytes long, not held, in a slot past those of all other buffers and allocs, and taken only by way
// of slices: shrinks of it. Each slice, by the type in which it is viewed, is a tensor. Any other
// storage is one tensor, whatever views of it are taken.
class SliceTensors {
 public:
  explicit SliceTensors(const Schedule& schedule);

  // The node that stands for the tensor: storage, or a slice or its type. `id` names storage.
  OpId tensor(OpId id) const;

 private:
  void find_arenas(const Schedule& schedule);

  const OpGraph& graph_;
  std::vector<OpId> slice_;     // by node: the first view on the way from its storage
  std::vector<OpId> typed_;     // by node: the second, or the first where there is no other
  std::vector<bool> is_arena_;  // by node
};

}  // namespace berth
