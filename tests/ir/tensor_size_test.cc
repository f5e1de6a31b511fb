#include "berth/ir/tensor_size.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace berth {
namespace {

using Dims = std::vector<std::uint64_t>;

constexpr std::uint64_t power(unsigned exponent) {
  return std::uint64_t{1} << exponent;
}

TEST(TensorBytes, AreExactPastThirtyTwoBits) {
  EXPECT_EQ(*tensor_bytes(Dims{1, 128, 1024, 65536}, 16), Bytes(17179869184));
  EXPECT_EQ(*tensor_bytes(Dims{4096, 4096, 256}, 8), Bytes(4294967296));
}

TEST(TensorBytes, AreExactNearTheEndOfSixtyFourBits) {
  EXPECT_EQ(*tensor_bytes(Dims{power(59) + 1}, 32), Bytes(2305843009213693956));
  EXPECT_EQ(*tensor_bytes(Dims{power(32) - 1, power(32) + 1}, 8), Bytes(UINT64_MAX));
  EXPECT_EQ(*tensor_bytes(Dims{power(33), power(32)}, 2), Bytes(power(63)));
}

TEST(TensorBytes, PastSixtyFourBitsAreSaidExactly) {
  EXPECT_EQ(tensor_bytes(Dims{power(32), power(32)}, 8).error(), "18446744073709551616");
  EXPECT_EQ(tensor_bytes(Dims{UINT64_MAX, UINT64_MAX}, 8).error(),
            "340282366920938463426481119284349108225");
  EXPECT_EQ(tensor_bytes(Dims{power(63), 3, 3}, 4).error(), "41505174165846491136");
  EXPECT_EQ(tensor_bytes(Dims(64, UINT64_MAX), 8).error(), "more than 10^1233");
}

TEST(TensorBytes, OfPackedElementsAreRoundedUpToWholeBytes) {
  EXPECT_EQ(*tensor_bytes(Dims{3}, 4), Bytes(2));
  EXPECT_EQ(*tensor_bytes(Dims{33}, 1), Bytes(5));
  EXPECT_EQ(*tensor_bytes(Dims{31}, 1), Bytes(4));
  EXPECT_EQ(*tensor_bytes(Dims{1024}, 4), Bytes(512));
}

TEST(TensorBytes, OfNoDimensionsAreOneElement) {
  EXPECT_EQ(*tensor_bytes(Dims{}, 32), Bytes(4));
}

TEST(TensorBytes, OfADimensionOfZeroAreNoneWhateverTheOthersSay) {
  EXPECT_EQ(*tensor_bytes(Dims{UINT64_MAX, UINT64_MAX, 0}, 64), Bytes(0));
}

}  // namespace
}  // namespace berth
