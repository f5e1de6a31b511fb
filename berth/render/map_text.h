#pragma once

#include <cstddef>
#include <string>

#include "berth/ir/plan.h"
#include "berth/render/table.h"

namespace berth {

// The map for a terminal, `width` characters wide (40 or more) and `height` lines of cells an arena
// (4 or more): a letter a buffer, its name where it fits, below it the load. A buffer too small for
// a cell shows where nothing else stands. Ends in a newline.
std::string plan_map_text(const Plan& plan, std::size_t width, std::size_t height,
                          Colour colour = Colour::Off);

}  // namespace berth
