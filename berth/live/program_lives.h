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
#include "berth/live/member.h"

namespace berth {

// A program as a packing problem.
struct ProgramInstance {
  // A device a chip, "chip0" and so on; "CPU" where there is but one chip. A step is a phase. After
  // the tensors' buffers come those of scratch: one for each phase that asks for it and each chip
  // that the phase touches.
  Instance instance;
  std::vector<Member> members;                 // by buffer, then by TensorId
  std::vector<KeptTensor> kept;                // by TensorId: what is not planned, and why
  std::vector<NamedPermission> permissions{};  // to share bytes, granted or not
};

// Which permissions to share bytes are granted.
enum class Sharing {
  Granted,   // all for which nothing is lost; parts only where the max load is no larger for them
  NoParts,   // those to take over alone
  Declined,  // none
};

// By TensorId: the tensor's name for its first bearer; with the index behind it where it is empty
// or taken.
std::vector<std::string> unique_names(const Program& program);

// The lives: a tensor lives from the first phase that writes it to the last that touches it, both
// included; an input from the first phase of all, an output to the last. What nobody reads lives
// the phase that writes it. A loop over phases counts as one phase. A program without phases has
// one step.
//
// A tensor and its views are one buffer, which lives while any of them does. So are tensors that
// share bytes by permission (TensorAccess::reuses and part_of), where nothing is lost by it:
// live/reuse.h says what the phases must leave good, live/sharing.h what the lives must. Bytes that
// none of them needs at a time are free then (Buffer::gaps).
//
// Names are unique_names(program).
//
// Not planned: weights and states with their views, dynamic tensors, those of no bytes, those that
// no phase touches, and those that phases read but none writes (scratch of an operator).
//
// `fixed`: by TensorId, where a tensor must be; empty if nothing is fixed. Refuses views that lead
// out of their tensor or in a circle, two fixed places that do not agree, and what Instance::make
// refuses. O(n log n) in tensors and accesses.
Result<ProgramInstance> program_instance(const Program& program, Alignment unit,
                                         std::span<const std::optional<Offset>> fixed = {},
                                         Sharing sharing = Sharing::Granted);

}  // namespace berth
