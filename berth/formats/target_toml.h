#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/ir/target.h"

namespace berth {

// A target (docs/formats/target.md). `file` names the text in errors. Refuses, with line and
// column, what is no TOML, unknown and missing keys, and sums past 64 bits.
Result<Target> read_target(const std::string& text, const std::string& file);

}  // namespace berth
