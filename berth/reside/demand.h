#pragma once

#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"
#include "berth/base/result.h"
#include "berth/ir/program.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"

namespace berth {

// Bytes that a tensor takes in memory: its tiles, whole. Nothing where they do not fit 64 bits.
std::optional<Bytes> tensor_bytes(const Tensor& tensor);

// Bytes that each tensor moves in one run of the program, every loop at its bound, by TensorId.
// Refuses a program with a fault (ir/program_rules.h).
Result<std::vector<Bytes>> moved_bytes(const Program& program);

// The SRAM that the program's buffers take on each of `chips` chips: over every site, the highest
// byte that its local memory map reaches, so holes count. The program has no fault.
std::vector<Bytes> buffer_footprint(const Program& program, std::size_t chips);

// Whether the chip can hold a tensor in its SRAM between sections: an SRAM that any site reaches,
// however small. A chip with one site is such a one.
bool holds_tensors_on_chip(const Target& target, ChipId chip);
// Whether some chip of the target can.
bool holds_tensors_on_chip(const Target& target);

// What a program asks of each chip, checked once: no later sum of its bytes overflows. A tensor
// that is no view stands for itself and all its views, whose accesses are its own.
struct Demand {
  struct Tensor {
    TensorId root;
    Bytes moved;                    // of a root: its views' accesses too
    std::optional<LiveRange> life;  // of a root, in phases; nothing where none touches it

    friend bool operator==(const Tensor&, const Tensor&) = default;
  };
  struct Scratch {
    Step phase = 0;
    Bytes bytes;
  };

  std::vector<Tensor> tensors;                // by TensorId
  std::vector<Bytes> buffers;                 // by ChipId, in whole units of its alignment
  std::vector<std::vector<Scratch>> scratch;  // by ChipId, by phase

  const Tensor& operator[](TensorId tensor) const { return tensors[tensor.index()]; }
};

// Refuses a program with a fault, and one that names a chip or a site that the target does not
// have. A loop over phases counts as one phase: what any of its phases touches lives through all.
// O(n log n) in tensors, accesses and loops.
Result<Demand> program_demand(const Program& program, const Target& target);

// A phase, or the loop over phases around it, in which a tensor is read or written.
struct TensorUse {
  LiveRange phases;
  Bytes moved;  // there, in one run
  bool writes = false;
  // It begins by writing all of the tensor: what was there before nobody needs.
  bool overwrites = false;

  friend bool operator==(const TensorUse&, const TensorUse&) = default;
};

// By TensorId, in order; of a tensor that is no view, its views' too, and of a view none. The
// program has no fault.
// A write, outside of views, of as many bytes as the tensor takes writes all of it.
std::vector<std::vector<TensorUse>> tensor_uses(const Program& program, const Demand& demand);

}  // namespace berth
