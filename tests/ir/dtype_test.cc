#include "berth/ir/dtype.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::optional<Bytes> bytes(std::string_view dtype, std::uint64_t elements) {
  return Dtype::of(dtype)->bytes_of(elements);
}

TEST(Dtype, PackedElementsAreRoundedUpToWholeBytes) {
  EXPECT_EQ(bytes("uint4", 3), Bytes(2));
  EXPECT_EQ(bytes("int1", 33), Bytes(5));
  EXPECT_EQ(bytes("int1", 31), Bytes(4));
  EXPECT_EQ(bytes("uint2", 5), Bytes(2));
  EXPECT_EQ(bytes("int4", 0), Bytes(0));
  EXPECT_EQ(bytes("int1", UINT64_MAX), Bytes(std::uint64_t{1} << 61));
}

TEST(Dtype, SizesAreExactOrNothing) {
  EXPECT_EQ(bytes("float32", (std::uint64_t{1} << 59) + 1), Bytes(2305843009213693956));
  EXPECT_EQ(bytes("bfloat16", 128 * 1024 * std::uint64_t{65536}), Bytes(17179869184));
  EXPECT_EQ(bytes("complex128", 2), Bytes(32));
  EXPECT_FALSE(bytes("float32", std::uint64_t{1} << 62));
}

TEST(Dtype, IsKnownByItsNameAlone) {
  EXPECT_FALSE(Dtype::of("float33"));
  EXPECT_FALSE(Dtype::of(""));
  EXPECT_FALSE(Dtype::of("Float32"));
  EXPECT_EQ(Dtype::of("bool")->bits(), 8u);
  EXPECT_EQ(Dtype::int8().name(), "int8");
  EXPECT_NE(Dtype::names().find("float16, bfloat16"), std::string::npos);
}

}  // namespace
}  // namespace berth
