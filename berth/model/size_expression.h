#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth {

// Sizes that a model writes as a sum or the like of others: "past + seq", "2*(seq - 1)",
// "floor(height/2 - 1/2) + 1". Arithmetic is exact, in fractions. A '-' between two letters with no
// space around it belongs to a name.

// The names of which such a size is computed, each once, in order. None where the text is one name,
// or no such arithmetic at all.
std::vector<std::string> parts_of(const std::string& text);

// Nothing where a part has no size, or the result is none: negative, broken, past 62 bits.
std::optional<std::uint64_t> computed_size(
    const std::string& text,
    const std::function<std::optional<std::uint64_t>(const std::string&)>& size_of);

}  // namespace berth
