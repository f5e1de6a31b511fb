#include "berth/ir/target.h"

namespace berth {

Bytes Chip::sram() const {
  Bytes sum;
  for (const SiteGroup& group : sites) sum += *checked_multiply(group.bytes, group.count);
  return sum < reserved ? Bytes(0) : sum - reserved;
}

std::uint64_t Chip::site_count() const {
  std::uint64_t count = 0;
  for (const SiteGroup& group : sites) count += group.count;
  return count;
}

std::optional<Bytes> Chip::site_bytes(std::uint64_t site) const {
  for (const SiteGroup& group : sites) {
    if (site < group.count) return group.bytes;
    site -= group.count;
  }
  return std::nullopt;
}

}  // namespace berth
