#pragma once

#include <vector>

#include "berth/ir/program.h"

namespace berth {

// The chips of the tensors that a phase touches, each once, in order; chip 0 where it touches none.
// Its scratch lives on each of them.
std::vector<ChipId> phase_chips(const Program& program, const Phase& phase);

}  // namespace berth
