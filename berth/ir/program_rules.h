#pragma once

#include <optional>
#include <string>

#include "berth/ir/program.h"

namespace berth {

// What a program must keep so that each later stage can trust it, and where one does not.
struct ProgramFault {
  enum class Table { Tensors, Buffers, Phases, Loops, Accesses };

  Table table = Table::Tensors;
  std::size_t index = 0;   // of the tensor, buffer, loop or phase
  std::size_t access = 0;  // in the phase, of Table::Accesses
  std::string field;       // that is wrong, as the file names it; empty: the entry itself
  std::string message;
  std::string hint;

  friend bool operator==(const ProgramFault&, const ProgramFault&) = default;
};

// "phases[3].accesses[0]", "tensors[2].view_of".
std::string path_of(const ProgramFault& fault);

// The first fault. Without one: each name of a tensor is its own; layouts have a tile size for each
// dim, and `bytes` is that of the layout; views lead to bytes of a tensor on the same chip and not
// in a circle; a tensor that the host reads is not declared in SRAM, nor pinned; loops hold phases
// that exist, and of two that meet one holds the other; an intermediate that a phase reads is
// written before it, or in a loop around both; a part is copied whole, to bytes of another tensor
// on its chip that its phase writes; and sums of bytes, of bytes moved and of scratch fit 64 bits,
// for the whole program. Indices are the caller's promise.
std::optional<ProgramFault> find_program_fault(const Program& program);

}  // namespace berth
