#include "berth/ir/phase_chips.h"

#include <algorithm>

namespace berth {

std::vector<ChipId> phase_chips(const Program& program, const Phase& phase) {
  std::vector<ChipId> chips;
  for (const TensorAccess& access : phase.accesses) {
    chips.push_back(program.tensors[access.tensor.index()].chip);
  }
  if (chips.empty()) chips.emplace_back(0);
  std::ranges::sort(chips);
  const auto rest = std::ranges::unique(chips);
  chips.erase(rest.begin(), rest.end());
  return chips;
}

}  // namespace berth
