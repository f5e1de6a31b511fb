#include "berth/base/bytes.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

constexpr std::uint64_t kMost = UINT64_MAX;

TEST(CheckedBytes, GiveTheExactResultUpToTheLastByte) {
  EXPECT_EQ(checked_add(Bytes(kMost - 1), Bytes(1)), Bytes(kMost));
  EXPECT_EQ(checked_multiply(Bytes(kMost / 5), 5), Bytes(kMost));
  EXPECT_EQ(checked_round_up(Bytes(kMost - 255), *Alignment::of(256)), Bytes(kMost - 255));
  EXPECT_EQ(checked_round_up(Bytes(0), *Alignment::of(256)), Bytes(0));
}

TEST(CheckedBytes, GiveNothingPastTheLastByte) {
  EXPECT_FALSE(checked_add(Bytes(kMost), Bytes(1)));
  EXPECT_FALSE(checked_multiply(Bytes(kMost / 5 + 1), 5));
  EXPECT_FALSE(checked_multiply(Bytes(std::uint64_t{1} << 32), std::uint64_t{1} << 32));
  EXPECT_FALSE(checked_round_up(Bytes(kMost - 254), *Alignment::of(256)));
}

TEST(Bytes, ArithmeticThatDoesNotFitTraps) {
  EXPECT_DEATH((void)(Bytes(kMost) + Bytes(1)), "");
  EXPECT_DEATH((void)(Bytes(1) - Bytes(2)), "");
  EXPECT_DEATH((void)round_up(Bytes(kMost), *Alignment::of(2)), "");
  EXPECT_DEATH((void)(Offset(kMost) + Bytes(1)), "");
}

TEST(Alignment, IsAPowerOfTwo) {
  for (const std::uint64_t no : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{12}, kMost}) {
    EXPECT_FALSE(Alignment::of(no)) << no;
  }
  EXPECT_EQ(Alignment::of(1)->value(), 1u);
  EXPECT_EQ(Alignment::of(std::uint64_t{1} << 63)->value(), std::uint64_t{1} << 63);
}

TEST(BytesText, IsExactFirst) {
  EXPECT_EQ(to_string(Bytes(1023)), "1023 B");
  EXPECT_EQ(to_string(Bytes(55296)), "55296 B (54.0 KiB)");
  EXPECT_EQ(to_string(Bytes(kMost)), "18446744073709551615 B (16.0 EiB)");
}

TEST(TypedSize, IsReadInItsUnit) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("0x40000"), 0x40000u);
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  EXPECT_EQ(parse_size("2MB"), 2000000u);
  EXPECT_EQ(parse_size("18446744073709551615"), kMost);
}

TEST(TypedSize, IsNothingWhereItIsNoneOrDoesNotFit) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x", "KiB", "1.5MB", "64kib", "12Q",
                           "18446744073709551616", "16777216TiB", "0x10000000000000000"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

}  // namespace
}  // namespace berth
