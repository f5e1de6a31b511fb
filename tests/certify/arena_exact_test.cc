// What --exact adds, against every value in turn.
#include "berth/certify/arena_exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::fresh;
using test::range;

constexpr PhaseId kPhase(0);

// The whole of a plane table's last 64 addresses is one window.
PlaneTable planes_at_the_end(std::vector<Plane> planes) {
  return PlaneTable::make(1, {{Address(UINT64_MAX - 63), Bytes(64)}}, {},
                          {{"p", std::move(planes)}})
      .value();
}

// Of a word alone, or with so many bytes from it on, which no window need hold.
std::optional<std::uint64_t> first_stray_in_turn(const PlaneTable& planes, const WordMotion& motion,
                                                 std::optional<std::uint64_t> length) {
  const auto holds = [](const auto& its, const auto& bytes) {
    return std::ranges::any_of(its, [&](const auto& one) { return one.covers(bytes); });
  };
  std::vector<AddressRange> ranges;
  for (const NamedRange& global : planes.globals()) ranges.push_back(global.extent());
  for (const Plane& plane : planes[kPhase].planes) ranges.push_back(plane.range.extent());
  for (std::uint64_t t = 0; t < motion.iterations; ++t) {
    const std::uint64_t at = motion.values.empty()
                                 ? motion.base + t * static_cast<std::uint64_t>(motion.step)
                                 : motion.values[t];
    const AddressRange bytes = {at, WideAddress(at) + length.value_or(1)};
    const bool is_in = length || std::ranges::any_of(planes.windows(), [&](const Window& window) {
                         return addresses(window.address, window.bytes).overlaps(bytes);
                       });
    if (is_in && !holds(ranges, bytes)) return t;
  }
  return std::nullopt;
}

TEST(FirstStray, IsThatOfEveryValueInTurn) {
  std::mt19937_64 random(11);
  std::uint64_t strays = 0;
  constexpr int kRounds = 60'000;
  for (int round = 0; round < kRounds; ++round) {
    // Ranges and values near one another, at one end of the addresses or the other.
    const std::uint64_t origin = random() % 2 == 0 ? 0 : UINT64_MAX - 79;
    std::vector<NamedRange> ranges;
    for (std::uint64_t at = origin + random() % 9; at - origin < 60;) {
      const std::uint64_t bytes = 1 + random() % 12;
      ranges.push_back(range("r", at, bytes));
      at += bytes + (random() % 2 == 0 ? 0 : random() % 9);
    }
    std::vector<NamedRange> globals;
    std::vector<Plane> own;
    for (NamedRange& one : ranges) {
      if (random() % 4 == 0) {
        globals.push_back(one);
      } else {
        own.push_back(fresh(one));
      }
    }
    const std::uint64_t windows_at = origin + random() % 20;
    const std::uint64_t most = std::min<std::uint64_t>(UINT64_MAX - windows_at, 70) + 1;
    const PlaneTable planes =
        PlaneTable::make(1, {{Address(windows_at), Bytes(1 + random() % most)}}, globals,
                         {{"p", own}})
            .value();
    std::vector<std::uint64_t> values;
    WordMotion motion{.base = origin + random() % 80, .iterations = 1 + random() % 20};
    if (random() % 4 == 0) {
      for (std::uint64_t t = 0; t < motion.iterations; ++t) {
        values.push_back(origin + random() % 80);
      }
      motion.values = values;
    } else if (random() % 4 != 0) {
      motion.deltas = static_cast<std::uint32_t>(1 + random() % 3);
      motion.step = static_cast<WordMotion::Step>(random() % 13) - 6;
      if (random() % 8 == 0) motion.step += WordMotion::Step(1 + random() % 2) << 64;
      if (random() % 8 == 0) motion.step += WordMotion::Step(random() % 3) << 62;
    }
    std::optional<std::uint64_t> length;
    if (random() % 2 == 0) length = 1 + random() % 9;
    const auto expected = first_stray_in_turn(planes, motion, length);
    const ArenaRanges arena(planes);
    const auto found = length ? first_stray_access(arena, kPhase, motion, *length)
                              : first_stray(arena, kPhase, motion);
    ASSERT_EQ(found, expected) << round;
    strays += expected ? 1 : 0;
  }
  EXPECT_GT(strays, kRounds / 4);
  EXPECT_LT(strays, kRounds * 3 / 4);
}

TEST(FirstStray, AWordThatReachesTheEndOfTheAddressesGoesOnAtNothing) {
  const PlaneTable planes = planes_at_the_end(
      {fresh(range("a", UINT64_MAX - 63, 16)), fresh(range("b", UINT64_MAX - 47, 41))});
  // 2^64 - 16, 2^64 - 8, 0: over the hole [2^64 - 7, 2^64), and never in it.
  const WordMotion motion{.base = UINT64_MAX - 15, .iterations = 3, .deltas = 1, .step = 8};
  EXPECT_EQ(first_stray(ArenaRanges(planes), kPhase, motion), std::nullopt);
}

TEST(FirstStray, AStepOfAllAddressesIsNone) {
  const PlaneTable planes = planes_at_the_end({});
  for (const std::uint64_t iterations : {std::uint64_t{1}, std::uint64_t{100}, UINT64_MAX}) {
    const WordMotion motion{
        .base = 10, .iterations = iterations, .deltas = 3, .step = WordMotion::Step(1) << 64};
    EXPECT_EQ(first_stray(ArenaRanges(planes), kPhase, motion), std::nullopt);
    EXPECT_EQ(first_stray_access(ArenaRanges(planes), kPhase, motion, 2), 0u);
  }
}

// A run is passed over at once where each of its words may be given.
TEST(ArenaRanges, AllowEachIsToAllowEachOfThem) {
  std::mt19937_64 random(12);
  std::uint64_t allowed = 0;
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Plane> own;
    const std::uint64_t origin = random() % 2 == 0 ? 0x1000 : UINT64_MAX - 199;
    for (std::uint64_t at = origin + random() % 9; at - origin < 160; at += random() % 20) {
      own.push_back(fresh(range("a", at, 1 + random() % 16)));
      at += own.back().range.bytes.count();
    }
    const std::uint64_t first = origin + random() % 60;
    const std::uint64_t second = first + 60 + random() % 30;
    std::vector<Window> windows = {{Address(first), Bytes(1 + random() % 50)},
                                   {Address(second), Bytes(1 + (UINT64_MAX - second) % 80)}};
    if (random() % 8 == 0) windows.clear();
    const PlaneTable planes = PlaneTable::make(1, windows, {}, {{"p", own}}).value();
    const ArenaRanges ranges(planes);
    const auto allows = [&](std::uint64_t word) {
      return ranges.allow(kPhase, at_one_address(word));
    };
    std::vector<std::uint64_t> words(1 + random() % 600);
    const bool may_stray = random() % 2 == 0;
    for (std::uint64_t& word : words) {
      do word = random() % 8 == 0 ? random() : origin + random() % 200;
      while (!may_stray && !allows(word));
    }
    const bool expected = std::ranges::all_of(words, allows);
    ASSERT_EQ(ranges.allow_each(kPhase, words), expected) << round;
    allowed += expected ? 1 : 0;
  }
  EXPECT_GT(allowed, kRounds / 3);
  EXPECT_LT(allowed, kRounds * 2 / 3);
}

}  // namespace
}  // namespace berth
