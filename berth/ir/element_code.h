#pragma once

#include <cstdint>
#include <optional>

#include "berth/ir/dtype.h"

namespace berth {

// Element types by their numbers in the public schema of ONNX, which stand in its files and in the
// attributes of its operators.

inline constexpr std::int64_t kTextCode = 8;

bool is_element_code(std::int64_t code);

// Nothing for text, and for numbers that the schema does not know.
std::optional<Dtype> element_of_code(std::int64_t code);

}  // namespace berth
