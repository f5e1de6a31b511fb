#pragma once

#include <span>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/ir/program.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/demand.h"

namespace berth {

// Which of a program's tensors the SRAM holds between its sections.
struct Activations {
  std::vector<bool> on_chip;       // by TensorId; a view as its root
  std::vector<Spill> spilled;      // chip by chip, in the order in which they were pushed out
  std::vector<PartlyKept> partly;  // by TensorId; the rule keeps whole lives, and so has none
  std::vector<Obstacle> obstacles;

  friend bool operator==(const Activations&, const Activations&) = default;
};

// Linear-scan allocation over live ranges. On each chip that holds tensors, the intermediates live
// at every phase must fit the SRAM that the buffers leave; past that, at the first phase that
// overflows, the one whose last use is furthest away leaves for its whole life, then the largest,
// then the lowest id. Where the chip holds none, each stays in the tier it was declared in. An
// intermediate that was declared in SRAM, or is pinned, is live there and never leaves; one without
// bytes, or that no phase touches, takes no part.
Result<Activations> place_activations(const Program& program, const Target& target);
Activations place_activations(const Program& program, const Target& target, const Demand& demand);

// Whether the tensor is an intermediate of its own that the rule may push out of its chip's SRAM,
// or that must stay there.
bool may_leave(const Program& program, const Target& target, const Demand& demand, TensorId tensor);
bool must_stay(const Program& program, const Target& target, const Demand& demand, TensorId tensor);

// The largest sum, over the phases, of what is on chip at once, and the SRAM of the buffers: what
// each chip holds while the program runs.
std::vector<Bytes> sram_footprint(const Program& program, const Demand& demand,
                                  const std::vector<bool>& on_chip,
                                  std::span<const PartlyKept> partly = {});

// The buffers that end past their site, or past the SRAM of their chip.
std::vector<Obstacle> find_buffer_obstacles(const Program& program, const Target& target,
                                            const Demand& demand);

// The SRAM that a chip's buffers leave.
Bytes room_beside_buffers(const Target& target, const Demand& demand, ChipId chip);

}  // namespace berth
