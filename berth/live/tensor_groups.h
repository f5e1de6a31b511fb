#pragma once

#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/plan.h"
#include "berth/ir/program.h"

namespace berth {

// Which tensors of a program stand on the same bytes, and when those live. A group is a tensor that
// is no view, its root, with all that views it, directly or through other views. What a loop over
// phases touches lives through all of it.
struct TensorGroups {
  struct Part {
    TensorId root;
    Bytes offset;                   // from the root's first byte
    std::optional<LiveRange> life;  // nothing where no phase touches it
  };
  struct Group {
    std::optional<LiveRange> life;  // the hull of the lives of its parts
    bool written = false;           // by a phase, or it is given in
    bool given_in = false;
    bool given_out = false;
  };

  std::vector<Part> parts;    // by TensorId
  std::vector<Group> groups;  // by TensorId of the root; of no meaning elsewhere

  const Part& operator[](TensorId tensor) const { return parts[tensor.index()]; }
  const Group& of(TensorId tensor) const { return groups[(*this)[tensor].root.index()]; }
};

// Refuses a view that leads out of its tensor, and views that go round in a circle.
Result<TensorGroups> group_tensors(const Program& program);

// Why the tensor has no bytes in the arena; nothing if it has.
std::optional<KeptWhy> why_kept(const Program& program, const TensorGroups& groups,
                                TensorId tensor);

}  // namespace berth
