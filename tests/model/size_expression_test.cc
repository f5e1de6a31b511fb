#include "berth/model/size_expression.h"

#include <gtest/gtest.h>

#include <map>

namespace berth {
namespace {

std::optional<std::uint64_t> size(const std::string& text) {
  static const std::map<std::string, std::uint64_t> sizes = {
      {"past", 10}, {"seq", 3}, {"h.0", 7}, {"none", 0}, {"batch-size", 5}};
  return computed_size(text, [](const std::string& name) -> std::optional<std::uint64_t> {
    const auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional(found->second);
  });
}

using Parts = std::vector<std::string>;

TEST(SizeExpression, IsComputedFromItsParts) {
  EXPECT_EQ(size("past + seq"), 13u);
  EXPECT_EQ(size("past+1"), 11u);
  EXPECT_EQ(size("2*(past - seq)"), 14u);
  EXPECT_EQ(size("2*seq**2 - 1"), 17u);
  EXPECT_EQ(size("past//seq + past % seq"), 4u);
  EXPECT_EQ(size("-2 + seq"), 1u);
  EXPECT_EQ(size("Max(1, none) + min(seq, past)"), 4u);
  EXPECT_EQ(size("batch-size + 1"), 6u);
}

TEST(SizeExpression, FractionsAreExact) {
  EXPECT_EQ(size("floor(h.0/2 - 1/2) + 1"), 4u);
  EXPECT_EQ(size("ceiling(h.0/2)"), 4u);
  EXPECT_EQ(size("1.5*past"), 15u);
  EXPECT_EQ(size("h.0/2"), std::nullopt);
  EXPECT_EQ(size("floor((-1)*h.0/2) + past"), 6u);
}

TEST(SizeExpression, IsOpenWhereAPartIsOrTheResultIsNoSize) {
  EXPECT_EQ(size("past + other"), std::nullopt);
  EXPECT_EQ(size("seq - past"), std::nullopt);
  EXPECT_EQ(size("past/none"), std::nullopt);
  EXPECT_EQ(size("past % none"), std::nullopt);
  EXPECT_EQ(size("past*4611686018427387904"), std::nullopt);
  EXPECT_EQ(size("2**63*seq"), std::nullopt);
}

TEST(SizeExpression, ANameIsNone) {
  EXPECT_EQ(parts_of("past"), Parts());
  EXPECT_EQ(parts_of("batch-size"), Parts());
  EXPECT_EQ(parts_of("a b"), Parts());
  EXPECT_EQ(parts_of("12"), Parts());
  EXPECT_EQ(parts_of("2x + 1"), Parts());
  EXPECT_EQ(parts_of("nth(past)"), Parts());
  EXPECT_EQ(parts_of("past + (seq"), Parts());
  EXPECT_EQ(parts_of(std::string(100'000, '(')), Parts());
  EXPECT_EQ(parts_of(std::string(900, '-') + "a"), Parts{"a"});
  EXPECT_EQ(parts_of("past + seq - past"), (Parts{"past", "seq"}));
}

}  // namespace
}  // namespace berth
