#pragma once

#include <cstdint>

namespace berth {

// [lower, upper) in time or in space. Every interval in berth is half-open, and `overlaps` is the
// one place that decides whether two of them meet.
template <typename T>
struct HalfOpen {
  T lower{};
  T upper{};

  // An empty interval meets nothing, itself included.
  constexpr bool empty() const { return !(lower < upper); }
  constexpr bool contains(const T& point) const { return lower <= point && point < upper; }
  constexpr bool covers(const HalfOpen& inner) const {
    return lower <= inner.lower && inner.upper <= upper;
  }
  constexpr bool overlaps(const HalfOpen& other) const {
    return !empty() && !other.empty() && lower < other.upper && other.lower < upper;
  }

  friend constexpr bool operator==(const HalfOpen&, const HalfOpen&) = default;
};

// A point of a schedule's clock: the position of an entry, or whatever an instance counts in.
using Step = std::uint64_t;
using LiveRange = HalfOpen<Step>;  // [first use, last use + 1)

}  // namespace berth
