#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "berth/model/fact.h"

namespace berth {

// The shape of a matrix product, the axes before the last two stretched to each other. Nothing
// where an operand's shape is not known; the reason where they cannot be multiplied.
tl::expected<std::optional<Shape>, std::string> product_shape(const std::optional<Shape>& a,
                                                              const std::optional<Shape>& b);

}  // namespace berth
