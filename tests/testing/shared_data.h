#pragma once

#include <filesystem>
#include <string>

namespace berth::testing {

// A file of the data that may stand beside the checkout. Tests that use it skip where it is absent.
inline std::filesystem::path shared_data(const std::string& path) {
  return std::filesystem::path(BERTH_ROOT) / ".." / "shared" / "data" / path;
}

}  // namespace berth::testing
