#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth {

// Rows under a heading, each column as wide as its widest. The first column is text, `text_from`
// the first of those that are text again; the others are numbers.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t text_from);

}  // namespace berth
