#include "berth/plan/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/generate.h"

namespace berth {
namespace {

TEST(RangeSet, RangesThatTouchBecomeOne) {
  RangeSet set;
  set.add({0, 4});
  set.add({8, 12});
  set.add({4, 8});
  EXPECT_TRUE(std::ranges::equal(set.ranges(), std::vector<ByteRange>{{0, 12}}));
}

TEST(RangeSet, RangesApartStayApartAndInOrder) {
  RangeSet set;
  set.add({20, 24});
  set.add({0, 4});
  set.add({10, 12});
  EXPECT_TRUE(std::ranges::equal(set.ranges(), std::vector<ByteRange>{{0, 4}, {10, 12}, {20, 24}}));
}

TEST(RangeSet, IsTheSameAsMarkingBytes) {
  generate::Dice dice(1);
  for (int round = 0; round < 200; ++round) {
    RangeSet set;
    std::vector<bool> marked(65);
    for (int i = 0; i < 12; ++i) {
      const auto lower = dice.between(0, 60);
      const ByteRange range = {lower, lower + dice.between(1, 5)};
      set.add(range);
      for (auto byte = range.lower; byte < range.upper; ++byte) marked[byte] = true;
    }
    std::vector<bool> covered(65);
    std::uint64_t apart_from = 0;
    for (const ByteRange& range : set.ranges()) {
      ASSERT_FALSE(range.empty());
      ASSERT_TRUE(range.lower > apart_from || apart_from == 0);
      apart_from = range.upper;
      for (auto byte = range.lower; byte < range.upper; ++byte) covered[byte] = true;
    }
    ASSERT_EQ(covered, marked);
  }
}

Task task_of(std::uint64_t extent, std::uint64_t alignment = 1) {
  Task task;
  task.extent = extent;
  task.alignment = alignment;
  return task;
}

TEST(FreePlaces, TheLowestIsTheFirstHoleThatIsWideEnough) {
  Occupancy occupancy(8);
  occupancy.add(std::vector<Rect>{{{0, 4}, {0, 10}}}, 0);
  occupancy.add(std::vector<Rect>{{{2, 6}, {0, 10}}}, 13);
  const std::vector<Rect> during = {{{3, 5}, {0, 3}}};
  const auto small = task_of(3);
  EXPECT_EQ(FreePlaces(occupancy, small, during).at_or_above(0), 10u);

  const std::vector<Rect> wide = {{{3, 5}, {0, 4}}};
  const auto large = task_of(4);
  EXPECT_EQ(FreePlaces(occupancy, large, wide).at_or_above(0), 23u);

  const std::vector<Rect> later = {{{4, 8}, {0, 4}}};
  EXPECT_EQ(FreePlaces(occupancy, large, later).at_or_above(0), 0u);
}

TEST(FreePlaces, TellHowFarATaskMaySlide) {
  Occupancy occupancy(2);
  occupancy.add(std::vector<Rect>{{{0, 2}, {0, 10}}}, 20);
  const std::vector<Rect> rects = {{{0, 1}, {0, 8}}};
  const auto task = task_of(8);
  FreePlaces free(occupancy, task, rects);
  EXPECT_EQ(free.at_or_above(0), 0u);
  EXPECT_EQ(free.highest_in_reach(), 12u);
  EXPECT_EQ(free.at_or_above(13), 30u);
  EXPECT_EQ(free.highest_in_reach(), std::nullopt);
}

// One rectangle at its place.
struct Taken {
  Rect rect;
  std::uint64_t place;
};

bool is_free(std::span<const Taken> all, std::span<const Rect> rects, std::uint64_t place) {
  for (const Taken& taken : all) {
    for (const Rect& rect : rects) {
      const ByteRange a = {taken.place + taken.rect.bytes.lower,
                           taken.place + taken.rect.bytes.upper};
      const ByteRange b = {place + rect.bytes.lower, place + rect.bytes.upper};
      if (taken.rect.slots.overlaps(rect.slots) && a.overlaps(b)) return false;
    }
  }
  return true;
}

std::vector<Rect> random_rects(generate::Dice& dice, Slot slots) {
  std::vector<Rect> rects;
  for (Slot from = static_cast<Slot>(dice.between(0, slots)); from < slots;) {
    const auto until = static_cast<Slot>(dice.between(from, slots) + 1);
    const auto lower = dice.between(0, 4);
    rects.push_back({{from, until}, {lower, lower + dice.between(1, 6)}});
    if (rects.size() == 3) break;
    from = until + static_cast<Slot>(dice.between(0, 3));
  }
  return rects;
}

TEST(FreePlaces, AreThoseThatTryingEveryPlaceFinds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    generate::Dice dice(seed);
    const auto slots = static_cast<Slot>(dice.between(1, 20));
    Occupancy occupancy(slots);
    std::vector<Taken> all;
    for (int i = 0; i < 25; ++i) {
      const auto rects = random_rects(dice, slots);
      const auto task = task_of(10, std::uint64_t{1} << dice.between(0, 3));
      FreePlaces free(occupancy, task, rects);
      for (std::uint64_t place = 0; place < 60; place += task.alignment) {
        const auto found = free.at_or_above(place);
        ASSERT_TRUE(is_free(all, rects, found));
        for (auto lower = place; lower < found; lower += task.alignment) {
          ASSERT_FALSE(is_free(all, rects, lower)) << "seed " << seed << " missed " << lower;
        }
        const auto reach = free.highest_in_reach();
        for (auto higher = found; reach && higher <= *reach; ++higher) {
          ASSERT_TRUE(is_free(all, rects, higher));
        }
        ASSERT_FALSE(reach && is_free(all, rects, *reach + 1));
        place = task.align_up(found);
      }
      const auto chosen = FreePlaces(occupancy, task, rects).at_or_above(dice.between(0, 30));
      occupancy.add(rects, chosen);
      for (const Rect& rect : rects) all.push_back({rect, chosen});
    }
  }
}

}  // namespace
}  // namespace berth
