#pragma once

#include <string>
#include <string_view>

namespace berth {

// A name from a binary file, fit to print and to write as JSON: control characters and bytes that
// are not UTF-8 become '?'. O(length).
std::string clean_text(std::string_view text);

}  // namespace berth
