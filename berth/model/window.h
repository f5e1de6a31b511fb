#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "berth/model/rule.h"

namespace berth {

// The shape [batch, channels, places...] of a window that moves over `input`, which is laid out
// like it. The window's kernel by axis; its strides, pads and dilations are the call's attributes.
tl::expected<std::optional<Shape>, std::string> moved_over(const Call& call, const Shape& input,
                                                           const std::vector<std::int64_t>& kernel,
                                                           Dim channels);

// The kernel's axes: an attribute, or those of the weights behind the channels.
std::optional<std::vector<std::int64_t>> kernel_of(const Call& call, std::size_t weights);

// Weights of another number of channels than their operand in so many groups; nothing where they go
// together.
std::optional<std::string> find_channel_fault(const Call& call, const Dim& channels,
                                              const std::optional<Shape>& filter);

}  // namespace berth
