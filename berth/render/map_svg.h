#pragma once

#include <string>

#include "berth/ir/plan.h"
#include "berth/render/map_layout.h"
#include "berth/render/map_tiles.h"

namespace berth {

// The map as one SVG file: a rectangle a buffer (one for each stretch between its gaps), x its
// life, y its bytes; the arena's end, the max load, the peak step and the load over time beside
// them. Hovering a rectangle shows its name and numbers. Reads well on light and on dark, needs
// nothing from elsewhere, is well-formed whatever names hold, and is the same bytes for the same
// plan; under 10 MB for any number of buffers.
std::string plan_map_svg(const Plan& plan);

// The <svg> element alone, as it stands in a page too.
std::string map_svg_element(const Plan& plan, const MapLayout& layout, TileNotes notes);

}  // namespace berth
