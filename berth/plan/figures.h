#pragma once

#include <span>
#include <vector>

#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

namespace berth {

// What each device's arena comes to under a placement, from wherever it is. By DeviceId. The lower
// bound is the one that costs nothing: the max load, the largest extent, the highest fixed end.
std::vector<ArenaFigures> arena_figures(const Instance& instance, const Placement& placement);

}  // namespace berth
