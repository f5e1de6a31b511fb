#pragma once

#include <vector>

#include "berth/ir/program.h"
#include "berth/ir/sharing.h"
#include "berth/live/tensor_groups.h"

namespace berth {

// The permissions of a program's phases (TensorAccess::reuses and part_of), by TensorId, that what
// its phases read and write leaves good; when everything lives is for `grant` to judge.
//
//   to take over   the phase reads the operand alone of its group, not again once it writes the
//                  result, and writes none of it; it writes the result first of its group, and
//                  reads none of it; the result is not given in, the operand not given out
//   to be a part   no phase writes the part once it is joined, nor the whole but the phase that
//                  joins it; and not what is given in into what is given out
//
// Nothing is permitted in a loop over phases, and nothing is taken over in one inside a phase: the
// next turn may read the operand again. And no
// part in a phase that stays where it is (that of a body): a whole may be carried round there.
//
// O(accesses + phases in loops).
std::vector<SharePermission> sharing_of(const Program& program, const TensorGroups& groups);

}  // namespace berth
