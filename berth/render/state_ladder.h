#pragma once

#include <string>

#include "berth/ir/residency.h"
#include "berth/render/map_layout.h"

namespace berth {

// A part of a picture, and how tall it is.
struct Drawn {
  std::string text;
  Length height = 0;
};

// One chip's states in rank order as the rungs of a ladder: the reserve, then each class from where
// the one before it ends, to the cut line at the end of the SRAM. What is not in SRAM is hollow.
Drawn state_ladder(const Residency& plan, ChipId chip, const Box& within);

}  // namespace berth
