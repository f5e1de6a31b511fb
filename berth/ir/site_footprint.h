#pragma once

#include <map>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/ir/program.h"

namespace berth {

// By chip that has any: over its sites, the highest byte that the program's own map of each
// reaches.
std::map<ChipId, Bytes> site_footprint(const Program& program);

}  // namespace berth
