#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace berth::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts, release builds included, where a promise is broken.
inline void expect(bool kept) {
  if (!kept) std::abort();
}

}  // namespace berth::fuzz
