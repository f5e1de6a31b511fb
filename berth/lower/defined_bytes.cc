#include "berth/lower/defined_bytes.h"

#include <algorithm>
#include <iterator>

namespace berth {

void DefinedBytes::add(ByteRange bytes) {
  if (bytes.empty()) return;
  auto at = stretches_.upper_bound(bytes.lower);
  if (at != stretches_.begin() && std::prev(at)->second >= bytes.lower) --at;
  while (at != stretches_.end() && at->first <= bytes.upper) {
    bytes.lower = std::min(bytes.lower, at->first);
    bytes.upper = std::max(bytes.upper, at->second);
    at = stretches_.erase(at);
  }
  stretches_.emplace_hint(at, bytes.lower, bytes.upper);
}

std::uint64_t DefinedBytes::count_from_first(ByteRange bytes) const {
  const auto after = stretches_.upper_bound(bytes.lower);
  if (after == stretches_.begin()) return 0;
  const std::uint64_t end = std::min(std::prev(after)->second, bytes.upper);
  return end > bytes.lower ? end - bytes.lower : 0;
}

}  // namespace berth
