#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/plan.h"
#include "berth/ir/program.h"

namespace berth {

// A tensor that has its bytes in a planned buffer.
struct Member {
  std::string name;  // no other tensor of the program bears it
  TensorId tensor;
  BufferId buffer;
  Bytes offset;  // of its first byte from the buffer's
  Bytes bytes;
  LiveRange life;
  // Indices of members: it is bytes of that one; it takes over that one's bytes as that one dies.
  std::optional<std::size_t> view_of;
  std::optional<std::size_t> reuses;

  friend bool operator==(const Member&, const Member&) = default;
};

// A program as a packing problem.
struct ProgramInstance {
  Instance instance;             // one device, "CPU"; a step is a phase
  std::vector<Member> members;   // by buffer, then by TensorId
  std::vector<KeptTensor> kept;  // by TensorId: what is not planned, and why
};

// The lives: a tensor lives from the first phase that writes it to the last that touches it, both
// included; an input from the first phase of all, an output to the last. What nobody reads lives
// the phase that writes it. A program without phases has one step.
//
// A tensor and its views are one buffer, which lives while any of them does. A write that may take
// over a tensor's bytes (TensorAccess::reuses) does so where nothing is lost: that tensor and its
// views die in that very phase, which reads them under no second name; they are no output; the
// result is no larger, begins to live there, and is no view itself. Then both are one buffer; once
// the larger one is dead, its further bytes are free (Buffer::gaps).
//
// Not planned: weights and states with their views, dynamic tensors, those of no bytes, those that
// no phase touches, and those that phases read but none writes (scratch of an operator).
//
// `fixed`: by TensorId, where a tensor must be; empty if nothing is fixed. Refuses views that lead
// out of their tensor or in a circle, two fixed places that do not agree, and what Instance::make
// refuses. O(n log n) in tensors and accesses.
Result<ProgramInstance> program_instance(const Program& program, Alignment unit,
                                         std::span<const std::optional<Offset>> fixed = {});

}  // namespace berth
