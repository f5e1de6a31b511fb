#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "berth/formats/tflite.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

std::string block_of(const std::vector<std::int32_t>& words) {
  std::string block;
  for (const std::int32_t word : words) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      block += static_cast<char>(static_cast<std::uint32_t>(word) >> (8 * byte) & 0xFFU);
    }
  }
  return block;
}

// Two subgraphs of three and two tensors.
Result<std::optional<OfflinePlan>> plan_of(const std::string& block) {
  const TestGraph main = {.tensors = {sized("a", 1), sized("b", 1), sized("c", 1)}};
  const TestGraph other = {.tensors = {sized("d", 1), sized("e", 1)}};
  return read_tflite_offline_plan(tflite_bytes(TestModel{{main, other}, block}), "m.tflite");
}

std::string error_of(const std::string& block) {
  const auto plan = plan_of(block);
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error().message;
}

TEST(TfliteOfflinePlan, GivesAnOffsetATensorOfAllSubgraphs) {
  const auto plan = plan_of(block_of({1, 0, 5, 0, -1, 48, 2147483647, -1}));
  ASSERT_TRUE(plan) << to_string(plan.error());
  const OfflinePlan expected = {Offset(0), std::nullopt, Offset(48), Offset(2147483647),
                                std::nullopt};
  EXPECT_EQ(**plan, expected);
}

TEST(TfliteOfflinePlan, IsNothingWhereTheModelCarriesNone) {
  const auto plan =
      read_tflite_offline_plan(tflite_bytes(TestGraph{.tensors = {sized("a", 1)}}), "m.tflite");
  ASSERT_TRUE(plan);
  EXPECT_FALSE(*plan);
}

TEST(TfliteOfflinePlan, RefusesABlockThatIsCutShort) {
  EXPECT_EQ(error_of(block_of({1, 0})), "the block has 8 bytes; it needs 12 bytes of head");
  EXPECT_EQ(error_of(block_of({1, 0, 5, 0, 0, 0, 0})),
            "the block has 28 bytes; 12 of head and 5 offsets need 32");
  EXPECT_EQ(error_of(block_of({1, 0, 5, 0, 0, 0, 0, 0}) + "x"),
            "the block has 33 bytes; 12 of head and 5 offsets need 32");
}

TEST(TfliteOfflinePlan, RefusesAnotherNumberOfTensors) {
  EXPECT_EQ(error_of(block_of({1, 0, 2, 0, 0})), "gives 2 offsets; the model has 5 tensors");
  EXPECT_EQ(error_of(block_of({1, 0, -5, 0, 0})), "gives -5 offsets; the model has 5 tensors");
}

TEST(TfliteOfflinePlan, RefusesANegativeOffsetAndANewerVersion) {
  EXPECT_EQ(error_of(block_of({1, 0, 5, 0, 0, 0, -16, 0})),
            "offset -16 of tensor 3 is negative, and not -1");
  EXPECT_EQ(error_of(block_of({2, 0, 5, 0, 0, 0, 0, 0})),
            "is version 2; this reads up to version 1");
}

}  // namespace
}  // namespace berth
