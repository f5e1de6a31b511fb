#pragma once

#include <optional>

#include "berth/ir/instance.h"
#include "berth/ir/plan.h"

namespace berth {

// Why a device cannot hold what it should: some of its buffers, which by themselves already do not
// go into what it has. Anybody can check it without the rest of the question (docs/formats/
// reason.md).
struct Reason {
  PlanSource source;
  // One device, with its capacity where that matters, and the buffers.
  Instance part;
  // Where it is their sum alone: the step at which more bytes are live than there are.
  std::optional<Step> step;
  // Without any one of them, the others do fit.
  bool minimal = false;
};

}  // namespace berth
