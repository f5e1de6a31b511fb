#include "berth/certify/byte_set.h"

#include <algorithm>
#include <iterator>

namespace berth {

void ByteSet::add(AddressRange bytes) {
  if (bytes.empty()) return;
  auto next = stretches_.upper_bound(bytes.lower);
  if (next != stretches_.begin() && std::prev(next)->second >= bytes.lower) --next;
  while (next != stretches_.end() && next->first <= bytes.upper) {
    bytes = {std::min(bytes.lower, next->first), std::max(bytes.upper, next->second)};
    next = stretches_.erase(next);
  }
  stretches_.emplace_hint(next, bytes.lower, bytes.upper);
}

AddressRange ByteSet::first_missing(AddressRange bytes) const {
  const auto next = stretches_.upper_bound(bytes.lower);
  if (next != stretches_.begin()) {
    bytes.lower = std::max(bytes.lower, std::prev(next)->second);
  }
  if (next != stretches_.end()) bytes.upper = std::min(bytes.upper, next->first);
  return bytes.empty() ? AddressRange{} : bytes;
}

}  // namespace berth
