#pragma once

#include "berth/base/bytes.h"
#include "berth/ir/deployment.h"
#include "berth/ir/target.h"

namespace berth {

// A deployment as its chips store it: every tensor and scratch takes whole units, the larger of the
// input's alignment and of the chips'. Where the sums of these fit, what each is rounded up to does
// too.
struct WholeUnits {
  Alignment unit;
  Target target;          // every chip aligns to the unit
  Deployment deployment;  // tensors and classes in whole units
};

WholeUnits in_whole_units(Deployment deployment, Target target, Alignment of_input);

}  // namespace berth
