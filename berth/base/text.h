#pragma once

#include <string>
#include <string_view>

namespace berth {

// `text` as it can be shown anywhere, whatever bytes a name holds: valid UTF-8 without control
// characters. Each byte that is neither is written \xNN, so different names stay different to the
// eye and none can move a cursor. What remains is also what XML 1.0 allows as characters.
std::string printable(std::string_view text);

// How many bytes the well-formed character at the start of `text` takes: 0 if there is none, or if
// it is a control character. `text` is not empty.
std::size_t printable_prefix(std::string_view text);

// Whether `text` is well-formed UTF-8 throughout, control characters included. O(length).
bool is_utf8(std::string_view text);

}  // namespace berth
