#pragma once

#include <string>
#include <vector>

#include "berth/formats/tflite.h"
#include "berth/ir/program.h"

namespace berth {

// A tensor that a custom operator takes and that nothing writes: scratch of its own, which the
// runtime places in the arena like any other tensor.
//
// Operators that were compiled for an accelerator (Ethos-U, by Vela) go further: they find their
// operands and results inside that scratch, by offsets that only their compiler knows and that the
// model's own plan repeats:
//
//   scratch  | input | . . . . . . . . . . |      one region of the arena, counted once
//            | output |                           may stand on the input's bytes: it is written
//            later
//
// What stands in such a region is a view of it. Nobody but the compiler can judge what the operator
// does in there; all that other steps see still is: a tensor that shares bytes with another while
// both hold a value, the operator itself apart, is no view, and so found to clash with the region.
struct OwnScratch {
  TensorId tensor;
  std::size_t phase = 0;  // the first that takes it
};
std::vector<OwnScratch> own_scratch(const Program& program);

// The program with that scratch as something its steps write; where the plan places it, what it
// places inside is a view. `regions`: how many there are.
struct WithScratch {
  Program program;
  std::vector<OwnScratch> regions;
};
WithScratch with_own_scratch(Program program, const OfflinePlan& plan);

}  // namespace berth
