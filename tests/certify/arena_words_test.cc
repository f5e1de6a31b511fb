#include "berth/certify/arena_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace berth {
namespace {

using Hull = std::array<AddressRange, 2>;

TEST(Hull, GoesFromTheFirstValueToTheLastAndNoFurther) {
  const WordMotion rises{.base = 100, .iterations = 5, .deltas = 1, .step = 10};
  EXPECT_EQ(hull(rises), (Hull{AddressRange{100, 141}, {}}));
  const WordMotion falls{.base = 100, .iterations = 5, .deltas = 1, .step = -10};
  EXPECT_EQ(hull(falls), (Hull{AddressRange{60, 101}, {}}));
}

TEST(Hull, OfAWordThatPassesTheEndIsTwoStretches) {
  const WordMotion rises{.base = UINT64_MAX - 9, .iterations = 5, .deltas = 1, .step = 4};
  EXPECT_EQ(hull(rises), (Hull{AddressRange{UINT64_MAX - 9, kAddressEnd}, {0, 7}}));
  const WordMotion falls{.base = 5, .iterations = 5, .deltas = 1, .step = -4};
  EXPECT_EQ(hull(falls), (Hull{AddressRange{UINT64_MAX - 10, kAddressEnd}, {0, 6}}));
}

TEST(Hull, ReachesTheEndWithoutPassingIt) {
  const WordMotion rises{.base = UINT64_MAX - 8, .iterations = 3, .deltas = 1, .step = 4};
  EXPECT_EQ(hull(rises), (Hull{AddressRange{UINT64_MAX - 8, kAddressEnd}, {}}));
  const WordMotion falls{.base = 8, .iterations = 3, .deltas = 1, .step = -4};
  EXPECT_EQ(hull(falls), (Hull{AddressRange{0, 9}, {}}));
}

TEST(Hull, IsEverythingOnceAWordComesRound) {
  const Hull all = {AddressRange{0, kAddressEnd}, {}};
  for (const WordMotion::Step step : {WordMotion::Step(1) << 63, -(WordMotion::Step(1) << 63),
                                      WordMotion::Step(1) << 64, WordMotion::Step(5) << 64}) {
    EXPECT_EQ(hull({.base = 7, .iterations = 3, .deltas = 2, .step = step}), all);
  }
  const WordMotion once{.base = 7, .iterations = 1, .deltas = 3, .step = WordMotion::Step(1) << 64};
  EXPECT_EQ(hull(once), (Hull{AddressRange{7, 8}, {}}));
}

TEST(Hull, HoldsEveryValueAndBeginsAndEndsWithOne) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 20'000; ++round) {
    const WordMotion motion{
        .base = random() % 2 == 0 ? random() % 100 : UINT64_MAX - random() % 100,
        .iterations = 1 + random() % 30,
        .deltas = 2,
        .step = static_cast<WordMotion::Step>(random() % 17) - 8};
    const Hull found = hull(motion);
    bool has_first = false;
    bool has_last = false;
    for (std::uint64_t t = 0; t < motion.iterations; ++t) {
      const std::uint64_t at = motion.at(t);
      ASSERT_TRUE(found[0].contains(at) || found[1].contains(at)) << round;
      has_first = has_first || at == found[0].lower;
      has_last = has_last || at == (found[1].empty() ? found[0].upper : found[1].upper) - 1;
    }
    EXPECT_TRUE(has_first && has_last) << round;
  }
}

}  // namespace
}  // namespace berth
