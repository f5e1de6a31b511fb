#include "berth/certify/arena_sieve.h"

namespace berth {

AddressSieve::AddressSieve(std::span<const AddressRange> ranges) {
  constexpr std::size_t kBucketsARange = 16;
  if (ranges.empty()) {
    passes_.resize(1);
    return;
  }
  first_ = static_cast<std::uint64_t>(ranges.front().lower);
  const auto last = static_cast<std::uint64_t>(ranges.back().upper - 1) - first_;
  while (last >> shift_ >= kBucketsARange * ranges.size()) ++shift_;
  passes_.resize((last >> shift_) + 2);
  for (const AddressRange& range : ranges) {
    // Whole buckets: the first that begins in the range, and the one in which it ends.
    const WideAddress most = (WideAddress(1) << shift_) - 1;
    const WideAddress begin = (range.lower - first_ + most) >> shift_;
    const WideAddress end = (range.upper - first_) >> shift_;
    for (WideAddress bucket = begin; bucket < end; ++bucket) {
      passes_[static_cast<std::size_t>(bucket)] = 1;
    }
  }
}

}  // namespace berth
