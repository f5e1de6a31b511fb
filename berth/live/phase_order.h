#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/result.h"
#include "berth/ir/program.h"

namespace berth {

// The same phases in an order under which less is live at once; nothing where none was found within
// `effort` nodes. It keeps the order of any two phases that touch a tensor (or a view of it) which
// one of them writes, and nothing moves past a phase that stays (Phase::stays) or past a loop.
//
// Between such phases the order with the least peak is searched for by which phases have run: the
// sets with the lowest peak first, so that the first complete one is the best (it was searched to
// the end); where there are too many, the most promising sets of each size alone are followed.
// Sizes are rounded up to `unit`. Refuses what group_tensors refuses.
Result<std::optional<PhaseOrder>> find_smaller_order(const Program& program, Alignment unit,
                                                     std::uint64_t effort);

// The program with its phases in this order, a permutation that leaves loops where they are.
Program reordered(const Program& program, const PhaseOrder& order);

}  // namespace berth
