#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

// What stands in the place of a file that berth could read: the pointer that Git LFS or git-annex
// leaves where the file itself was not fetched, a page of the web, an archive. `content` may be its
// beginning alone.
std::optional<Error> find_mistaken_file(const std::string& path, std::string_view content);

}  // namespace berth
