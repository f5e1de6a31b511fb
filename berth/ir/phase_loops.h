#pragma once

#include <vector>

#include "berth/ir/program.h"

namespace berth {

// By phase, whether a loop over phases holds it. O(phases + loops).
std::vector<bool> in_loops(const Program& program);

}  // namespace berth
