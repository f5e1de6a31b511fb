#pragma once

#include <string>
#include <string_view>

#include "berth/ir/plan.h"

namespace berth {

// The plan as a C header (docs/formats/header.md): for each arena its bytes, alignment and address,
// for each buffer its arena, offset and bytes, as macros named after them, assertions, and a table.
// Names begin with `prefix`; empty: with the name of the file that was planned. They are made C
// identifiers of at most 63 characters, which is what C99 promises to tell apart; where two would
// be one, the buffer's index is put behind. Two headers of one prefix and different content do not
// compile together, whatever their order.
std::string write_c_header(const Plan& plan, const std::string& prefix = {});

// Whether names may begin so: a letter, then letters, digits and underscores, at most 24 of them.
bool is_c_prefix(std::string_view prefix);

}  // namespace berth
