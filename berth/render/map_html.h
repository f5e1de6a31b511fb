#pragma once

#include <string>

#include "berth/ir/plan.h"

namespace berth {

// The map as one HTML file that needs nothing from elsewhere: the picture of plan_map_svg, and
// beside it who is live at the step under the pointer. Pointing at a buffer shows its numbers and
// lights it up, a click pins it, a box finds buffers by name. The same bytes for the same plan.
std::string plan_map_html(const Plan& plan);

}  // namespace berth
