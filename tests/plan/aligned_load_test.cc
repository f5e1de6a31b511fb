#include "berth/plan/aligned_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/generate.h"
#include "berth/certify/reason.h"
#include "berth/plan/pack.h"
#include "berth/plan/reason.h"

namespace berth {
namespace {

Buffer aligned(std::uint64_t id, std::uint64_t size, std::uint64_t alignment, LiveRange life) {
  Buffer buffer = generate::buffer(id, size, life);
  buffer.alignment = *Alignment::of(alignment);
  return buffer;
}

std::uint64_t bound(std::vector<Buffer> buffers) {
  return aligned_load(Problem::of_each_device(generate::on_one_device(std::move(buffers)))[0]);
}

TEST(AlignedLoad, AllButTheTopmostAreFollowedByTheirPadding) {
  EXPECT_EQ(bound({aligned(0, 5, 8, {0, 2}), aligned(1, 6, 8, {1, 3})}), 13U);
}

TEST(AlignedLoad, BytesThatAreNotAlignedFillThePadding) {
  EXPECT_EQ(bound({aligned(0, 5, 8, {0, 2}), aligned(1, 6, 8, {1, 3}), aligned(2, 2, 1, {0, 3})}),
            13U);
}

TEST(AlignedLoad, IsNoBoundWhereTheAlignmentDividesAllSizes) {
  EXPECT_EQ(bound({aligned(0, 8, 8, {0, 2}), aligned(1, 16, 8, {1, 3})}), 0U);
}

TEST(AlignedLoad, WhatIsNotLiveAtOnceDoesNotAddUp) {
  EXPECT_EQ(bound({aligned(0, 5, 8, {0, 1}), aligned(1, 6, 8, {1, 3})}), 6U);
}

// Stacked in every order.
TEST(AlignedLoad, NoStackIsLower) {
  generate::Dice dice(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<Buffer> buffers;
    for (std::uint64_t i = 0; i < 1 + dice.between(0, 6); ++i) {
      buffers.push_back(
          aligned(i, dice.between(1, 20), std::uint64_t{1} << dice.between(0, 4), {0, 1}));
    }
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::uint64_t least = UINT64_MAX;
    do {
      Offset top;
      for (const std::size_t i : order) {
        top = round_up(top, buffers[i].alignment) + buffers[i].size;
      }
      least = std::min(least, top.value());
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_LE(bound(buffers), least) << "round " << round;
  }
}

// Far more than every order of them could be tried.
TEST(AlignedLoad, ProvesTheLeastArenaAndIsAReasonThatIsConfirmed) {
  std::vector<Buffer> buffers;
  for (std::uint64_t i = 0; i < 40; ++i) buffers.push_back(aligned(i, 100, 64, {0, 2}));
  const auto instance = generate::on_one_device(buffers);
  const auto packing = std::get<Packing>(*pack(instance, {}));
  EXPECT_EQ(packing.arenas[0].peak, Bytes(39 * 128 + 100));
  EXPECT_TRUE(packing.arenas[0].proved_least());
  const auto tight = *Instance::make({Device{"arena", Bytes(5000), {}}}, buffers);
  const auto reason = find_reason(tight, DeviceId(0), 1'000);
  ASSERT_TRUE(reason);
  EXPECT_EQ(check_reason(*reason).answer, ReasonVerdict::Answer::Confirmed);
}

}  // namespace
}  // namespace berth
