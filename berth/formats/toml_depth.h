#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// Refuses a TOML text whose tables would stand deeper in each other than a reader may follow: a key
// or a header of more than 16 parts, or more than 16 lists and inline tables inside each other.
// What stands in strings and comments does not count. O(length), and no recursion.
std::optional<Error> find_toml_depth_fault(std::string_view text, const std::string& file);

}  // namespace berth
