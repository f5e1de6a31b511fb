#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/planes.h"

namespace berth {

// berth.planes/1 (docs/formats/planes.md). Reading refuses, with file, line, column and the path of
// the field, whatever the format does not allow.
Result<PlaneTable> read_planes(const JsonDocument& document);

// Reading what was written gives the same table.
std::string write_planes(const PlaneTable& planes);

}  // namespace berth
