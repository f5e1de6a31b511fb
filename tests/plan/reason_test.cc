#include "berth/plan/reason.h"

#include <gtest/gtest.h>

#include "bench/generate.h"
#include "berth/certify/reason.h"
#include "berth/plan/pack.h"

namespace berth {
namespace {

Instance limited(const Instance& instance, Bytes capacity) {
  const std::vector<Buffer> buffers(instance.buffers().begin(), instance.buffers().end());
  return *Instance::make({Device{"arena", capacity, {}}}, buffers, instance.unit());
}

TEST(FindReason, TheLargestLiveBuffersThatPassTheCapacity) {
  const auto instance = limited(
      generate::on_one_device({generate::buffer(0, 5, {0, 9}), generate::buffer(1, 1, {3, 4}),
                               generate::buffer(2, 7, {3, 5}), generate::buffer(3, 30, {9, 10})}),
      Bytes(11));
  // 30 bytes at step 9 are the largest load.
  const auto reason = find_reason(instance, DeviceId(0), 1'000);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->step, 9U);
  ASSERT_EQ(reason->part.size(), 1U);
  EXPECT_EQ(reason->part[BufferId(0)].name, "3");
}

TEST(FindReason, WhatFitsHasNone) {
  const auto instance = limited(generate::chain(10, 4), Bytes(8));
  EXPECT_FALSE(find_reason(instance, DeviceId(0), 1'000).has_value());
}

TEST(ReasonOf, TwoThatAreFixedOverOneAnotherOrTheOneThatPassesTheCapacityByItself) {
  const auto reason = [](std::optional<Bytes> capacity) {
    std::vector<Buffer> buffers = {{.name = "a", .size = Bytes(5), .life = {0, 1}},
                                   {.name = "b", .size = Bytes(1), .life = {0, 1}}};
    for (Buffer& buffer : buffers) buffer.fixed = Offset(0);
    const auto instance = Instance::make({{"", capacity}}, std::move(buffers), {}).value();
    return reason_of(instance, std::get<Infeasible>(pack(instance, {}).value()));
  };
  EXPECT_EQ(reason(std::nullopt).part.size(), 2U);
  EXPECT_EQ(reason(Bytes(5)).part.size(), 2U);
  const Reason alone = reason(Bytes(4));
  ASSERT_EQ(alone.part.size(), 1U);
  EXPECT_EQ(alone.part[BufferId(0)].name, "a");
  for (const auto& one : {reason(Bytes(5)), alone}) {
    EXPECT_EQ(check_reason(one).answer, ReasonVerdict::Answer::Confirmed);
  }
}

// A byte less than the least is refused with a reason that holds; the least itself is not.
TEST(FindReason, HoldsForAByteLessThanTheLeast) {
  std::size_t by_load = 0;
  std::size_t by_set = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const generate::Traits traits = {.buffers = 9,
                                     .steps = 6,
                                     .largest = 6,
                                     .alignment = seed % 2 == 0,
                                     .gaps = seed % 3 == 0,
                                     .fixed = seed % 4 == 0};
    const auto instance = generate::small(traits, seed);
    const auto answer = *pack(instance, {});
    if (const auto* no = std::get_if<Infeasible>(&answer)) {
      const auto reason = reason_of(instance, *no);
      ASSERT_EQ(check_reason(reason).answer, ReasonVerdict::Answer::Confirmed) << seed;
      continue;
    }
    const Bytes least = std::get<Packing>(answer).arenas[0].peak;
    if (least == Bytes(0)) continue;
    ASSERT_FALSE(find_reason(limited(instance, least), DeviceId(0), 10'000).has_value()) << seed;
    const auto tight = limited(instance, least - Bytes(1));
    const auto reason = find_reason(tight, DeviceId(0), 1'000'000);
    ASSERT_TRUE(reason.has_value()) << seed;
    ASSERT_TRUE(reason->minimal) << seed;
    const auto verdict = check_reason(*reason);
    ASSERT_EQ(verdict.answer, ReasonVerdict::Answer::Confirmed) << seed << ": " << verdict.why;
    ASSERT_EQ(find_reason_mismatch(*reason, tight), std::nullopt) << seed;
    ++(reason->step ? by_load : by_set);
  }
  EXPECT_GT(by_load, 50U);
  EXPECT_GT(by_set, 20U);
}

}  // namespace
}  // namespace berth
