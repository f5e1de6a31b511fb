#pragma once

#include <cstdint>
#include <string>

namespace berth {

// For what 64 bits may not hold: a sum that is refused, and is still to be told.
__extension__ using Wide = unsigned __int128;

inline std::string digits(Wide value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return text;
}

}  // namespace berth
