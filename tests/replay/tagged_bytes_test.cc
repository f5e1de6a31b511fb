#include "berth/replay/tagged_bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace berth {
namespace {

TEST(TaggedBytes, KnowWhoWroteEachByteLast) {
  constexpr std::uint64_t kBytes = 24;
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    TaggedBytes bytes;
    std::array<std::uint64_t, kBytes> byte_by_byte{};
    for (std::uint64_t version = 1; version < 12; ++version) {
      const std::uint64_t begin = random() % kBytes;
      const std::uint64_t end = begin + random() % (kBytes - begin + 1);
      bytes.put({begin, end}, {version, {}, 0});
      for (std::uint64_t i = begin; i < end; ++i) byte_by_byte[i] = version;

      const std::uint64_t from = random() % kBytes;
      const std::uint64_t to = from + random() % (kBytes - from + 1);
      std::uint64_t seen = from;
      EXPECT_TRUE(bytes.each({from, to}, [&](ByteRange stretch, const Tag* tag) {
        EXPECT_EQ(stretch.lower, seen);
        EXPECT_FALSE(stretch.empty());
        for (; seen < stretch.upper; ++seen) {
          EXPECT_EQ(byte_by_byte[seen], tag == nullptr ? 0 : tag->version) << "byte " << seen;
        }
        return true;
      }));
      EXPECT_EQ(seen, std::max(from, to));
      ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
    }
  }
}

TEST(TaggedBytes, AVisitStopsWhereItIsTold) {
  TaggedBytes bytes;
  bytes.put({2, 4}, {1, {}, 0});
  int visits = 0;
  EXPECT_FALSE(bytes.each({0, 8}, [&](ByteRange /*stretch*/, const Tag* tag) {
    ++visits;
    return tag == nullptr;
  }));
  EXPECT_EQ(visits, 2);
}

}  // namespace
}  // namespace berth
