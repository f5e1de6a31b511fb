#include "berth/replay/tagged_bytes.h"

#include <iterator>

namespace berth {

void TaggedBytes::put(ByteRange bytes, const Tag& tag) {
  if (bytes.empty()) return;
  auto at = stretches_.upper_bound(bytes.lower);
  if (at != stretches_.begin()) {
    const auto before = std::prev(at);
    if (bytes.lower < before->second.end) {
      const Stretch whole = before->second;
      if (bytes.upper < whole.end) at = stretches_.emplace_hint(at, bytes.upper, whole);
      before->second.end = bytes.lower;
      if (before->first == bytes.lower) stretches_.erase(before);
    }
  }
  while (at != stretches_.end() && at->first < bytes.upper) {
    const Stretch covered = at->second;
    at = stretches_.erase(at);
    if (bytes.upper < covered.end) at = stretches_.emplace_hint(at, bytes.upper, covered);
  }
  stretches_.emplace_hint(at, bytes.lower, Stretch{bytes.upper, tag});
}

}  // namespace berth
