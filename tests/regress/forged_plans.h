#pragma once

#include <functional>
#include <string>

#include "berth/ir/plan.h"

namespace berth::test {

// Figures as the buffers say, so that a changed plan is judged for what was changed alone: peak,
// loads, peak step, and the load as the bound. A plan that is no placement stays as it is.
void repair_figures(Plan& plan);

// Calls `judge` with each plan that differs from `plan` in one thing that says what may stand where
// (a buffer's life, gaps, bytes, alignment, skew, fixed place, arena, sharing and name; what is
// kept and why; an arena's device, tier, unit, alignment, capacity; order, digest, target), its
// figures repaired; and with the words for what was changed.
void each_forgery(const Plan& plan, const std::function<void(const Plan&, std::string)>& judge);

// A model in which "n" is open, and of which results may be computed in place and joined in place.
std::string onnx_of_open_size();

}  // namespace berth::test
