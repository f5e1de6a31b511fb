#pragma once

#include <cstddef>
#include <vector>

#include "berth/ir/program.h"

namespace berth {

// By TensorId: the last phase that touches it; 0 where none does. O(accesses).
std::vector<std::size_t> last_touches(const Program& program);

}  // namespace berth
