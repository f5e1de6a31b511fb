#include "berth/pipeline/whole_units.h"

#include <algorithm>
#include <utility>

namespace berth {
namespace {

// What 64 bits do not hold stays as it is: no memory holds it either.
void put_in_units(Bytes& bytes, Alignment unit) {
  bytes = checked_round_up(bytes, unit).value_or(bytes);
}

}  // namespace

WholeUnits in_whole_units(Deployment deployment, Target target, Alignment of_input) {
  Alignment unit = of_input;
  for (const Chip& chip : target.chips) unit = std::max(unit, chip.alignment);
  for (Chip& chip : target.chips) chip.alignment = unit;
  for (DeployedProgram& it : deployment.programs) {
    for (Tensor& tensor : it.program.tensors) {
      const Bytes before = tensor.bytes;
      if (!tensor.view_of) put_in_units(tensor.bytes, unit);
      if (tensor.bytes != before) tensor.layout.reset();
    }
    for (Phase& phase : it.program.phases) put_in_units(phase.scratch, unit);
  }
  if (deployment.given) {
    for (StateClass& it : deployment.given->classes) put_in_units(it.bytes, unit);
  }
  return {unit, std::move(target), std::move(deployment)};
}

}  // namespace berth
