#pragma once

#include "berth/ir/program.h"
#include "berth/ir/residency.h"
#include "berth/render/state_ladder.h"

namespace berth {

// One program on one chip: its phases from left to right; what stays in SRAM as wide as its life,
// as tall as its bytes and as high as its address; above that what is off chip, as wide as its
// life.
Drawn tier_map(const ProgramResidency& kept, const Program& program, const Layout& layout,
               const Box& within);

}  // namespace berth
