#pragma once

#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/program.h"
#include "berth/ir/target.h"

namespace berth {

// What a program asks of a target, read off its phases: for the check alone. Of a view, all is its
// root's.
struct ProgramFacts {
  // A phase or loop over phases that touches a tensor.
  struct Use {
    LiveRange phases;
    Bytes moved;
    bool writes = false;
    bool begins_anew = false;  // by a write of the whole tensor
  };

  std::vector<std::size_t> root;               // by TensorId
  std::vector<Bytes> moved;                    // by TensorId, in one run
  std::vector<std::optional<LiveRange>> life;  // by TensorId
  std::vector<std::vector<Use>> uses;          // by TensorId, in order; of a view none
  std::vector<Bytes> buffers;                  // by ChipId
  std::vector<Bytes> raw_buffers;              // the same, whole units or not
  std::vector<std::vector<Bytes>> scratch;     // by ChipId, by phase

  // An intermediate that may be on chip, or must be.
  std::vector<bool> may_leave;  // by TensorId
  std::vector<bool> must_stay;
};

// A chip whose SRAM can hold a tensor between sections.
bool chip_holds_tensors(const Target& target, ChipId chip);

// The program has no fault, and its chips and sites are the target's.
ProgramFacts facts_of(const Program& program, const Target& target);

// What is saved, in one run, if a tensor stays for these phases of its life alone; nothing where no
// two of its uses are the first and the last of them, or nothing is saved.
std::optional<Bytes> saved_in(const std::vector<ProgramFacts::Use>& uses, Bytes bytes,
                              LiveRange phases);

}  // namespace berth
