#pragma once

#include <string>

#include "berth/ir/plan.h"

namespace berth {

// The plan as a C header (docs/formats/header.md): for each arena its bytes, alignment and address,
// for each buffer its arena, offset and bytes, as macros named after them. Names are made C
// identifiers; where two would be one, the buffer's index is put behind.
std::string write_c_header(const Plan& plan);

}  // namespace berth
