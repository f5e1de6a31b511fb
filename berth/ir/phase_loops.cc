#include "berth/ir/phase_loops.h"

#include <algorithm>
#include <cstdint>

namespace berth {

std::vector<bool> in_loops(const Program& program) {
  const std::size_t phases = program.phases.size();
  std::vector<std::int64_t> change(phases + 1, 0);  // in how many loops run
  for (const PhaseLoop& loop : program.loops) {
    ++change[std::min<std::size_t>(loop.phases.lower, phases)];
    --change[std::min<std::size_t>(loop.phases.upper, phases)];
  }
  std::vector<bool> in_loop(phases);
  std::int64_t open = 0;
  for (std::size_t i = 0; i < phases; ++i) {
    open += change[i];
    in_loop[i] = open > 0;
  }
  return in_loop;
}

}  // namespace berth
