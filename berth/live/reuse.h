#pragma once

#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/ir/program.h"
#include "berth/live/tensor_groups.h"

namespace berth {

// A group of tensors that stands on another one's bytes, since it takes over as that one dies.
struct TakeOver {
  TensorId operand;  // whose bytes it takes over
  TensorId host;     // the root of the group that the buffer began with
  Bytes offset;      // of its own root, from the host's first byte
};

// Which of the permissions to write in place (TensorAccess::reuses) are granted, by TensorId of the
// result. `kept[t]`: tensor t is not planned. A permission is granted where nothing is lost by it:
//
//   x lives [0, 3), y is written at step 2 by a phase that reads x:   x x x . .
//   y may be on x, since x is read there for the last time.           . . y y y
//
// O(accesses).
std::vector<std::optional<TakeOver>> granted_reuses(const Program& program,
                                                    const TensorGroups& groups,
                                                    const std::vector<bool>& kept, Alignment unit);

}  // namespace berth
