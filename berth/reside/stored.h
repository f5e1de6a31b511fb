#pragma once

#include "berth/base/result.h"
#include "berth/ir/program.h"
#include "berth/ir/target.h"

namespace berth {

// A model's program as a target stores it, so that it can be placed there:
//
// - where the target has a tile, each tensor whose dimensions are known takes whole tiles over its
//   last dimensions (a tensor with fewer has 1 in front), and what is moved of it grows with it;
//   reshaping moves tiles, so there are no views then;
// - each tensor has a name of its own (unique_names);
// - no phase touches what has no size before the run, or what phases read and none writes (scratch
//   of an operator): neither has bytes to be placed.
//
// Refuses views that group_tensors refuses, and tiles that 64 bits do not hold.
Result<Program> stored_program(const Program& program, const Target& target);

}  // namespace berth
