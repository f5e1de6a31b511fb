#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/ir/planes.h"

namespace berth {

// Says of most addresses at once that a range holds them. The stretch from the first range to the
// end of the last is cut into buckets of one power of two, about 16 a range, and a bucket that lies
// in one range passes. What does not pass may be in a range all the same: it has to be looked up.
class AddressSieve {
 public:
  // For disjoint ranges, in order.
  explicit AddressSieve(std::span<const AddressRange> ranges);

  bool passes(std::uint64_t address) const {
    // Below the first range, the difference wraps to a bucket past the last.
    const std::uint64_t bucket = (address - first_) >> shift_;
    return passes_[std::min<std::uint64_t>(bucket, passes_.size() - 1)] != 0;
  }

 private:
  std::uint64_t first_ = 0;
  unsigned shift_ = 0;
  std::vector<std::uint8_t> passes_;  // by bucket; the last stands for all that are not there
};

}  // namespace berth
