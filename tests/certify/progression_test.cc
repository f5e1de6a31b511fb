#include "berth/certify/progression.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::optional<std::uint64_t> first_hit_by_steps(std::uint64_t step, std::uint64_t modulus,
                                                std::uint64_t lower, std::uint64_t upper) {
  for (std::uint64_t t = 0; t < modulus; ++t) {
    const std::uint64_t at = step * t % modulus;
    if (lower <= at && at < upper) return t;
  }
  return std::nullopt;
}

TEST(Progression, TheFirstHitIsThatOfStepByStepForEverySmallModulus) {
  for (std::uint64_t modulus = 1; modulus <= 24; ++modulus) {
    for (std::uint64_t step = 0; step < modulus; ++step) {
      for (std::uint64_t lower = 0; lower < modulus; ++lower) {
        for (std::uint64_t upper = lower + 1; upper <= modulus; ++upper) {
          ASSERT_EQ(first_hit(step, modulus, {lower, upper}),
                    first_hit_by_steps(step, modulus, lower, upper))
              << step << " mod " << modulus << " in [" << lower << ", " << upper << ")";
        }
      }
    }
  }
}

TEST(Progression, AStepBackIsOneAlmostAllTheWayRound) {
  EXPECT_EQ(first_hit(kAddressEnd - 1, kAddressEnd, {kAddressEnd - 5, kAddressEnd - 3}), 4u);
}

TEST(Progression, AnEvenStepNeverMeetsAnOddAddress) {
  EXPECT_EQ(first_hit(kAddressEnd - 6, kAddressEnd, {7, 8}), std::nullopt);
  EXPECT_EQ(first_hit(0, kAddressEnd, {7, 8}), std::nullopt);
}

TEST(Progression, AnOddStepMeetsEveryAddressSomeTime) {
  const std::uint64_t step = 0x9e3779b97f4a7c15;
  const auto t = first_hit(step, kAddressEnd, {42, 43});
  ASSERT_TRUE(t);
  EXPECT_EQ(step * *t, 42u);
}

}  // namespace
}  // namespace berth
