#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "berth/base/bytes.h"

namespace berth {

// The bytes of a dense tensor of these dimensions whose elements take `bits` bits each, packed
// without padding and rounded up to whole bytes: three elements of 4 bits are 2 bytes. No
// dimensions at all is one element; a dimension of 0 makes it empty, whatever the others say.
// Where 64 bits do not hold the size, its exact value in decimal, for the message. O(dims).
tl::expected<Bytes, std::string> tensor_bytes(std::span<const std::uint64_t> dims, unsigned bits);

}  // namespace berth
