#include "berth/ir/last_touches.h"

namespace berth {

std::vector<std::size_t> last_touches(const Program& program) {
  std::vector<std::size_t> last(program.tensors.size(), 0);
  for (std::size_t step = 0; step < program.phases.size(); ++step) {
    for (const TensorAccess& access : program.phases[step].accesses) {
      last[access.tensor.index()] = step;
    }
  }
  return last;
}

}  // namespace berth
