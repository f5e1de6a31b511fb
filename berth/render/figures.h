#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"

namespace berth {

// "max load  55296 B  54.0 KiB  at step 3".
struct FigureRow {
  std::string label;
  std::optional<Bytes> bytes;  // nothing: more than 64 bits hold
  std::string note;
};

// The rows below each other, numbers to the right, each line indented by two and ended.
std::string aligned(const std::vector<FigureRow>& rows);

}  // namespace berth
