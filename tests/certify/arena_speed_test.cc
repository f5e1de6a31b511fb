// What makes the certificate fast must not change it: each part against its plain form.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "berth/certify/arena.h"
#include "berth/certify/arena_filter.h"
#include "berth/certify/arena_judge.h"
#include "berth/certify/arena_sieve.h"
#include "tests/support/arenas.h"

namespace berth {
namespace {

using test::fresh;
using test::range;

TEST(FilterWords, KeepsWhatLiesBetweenInOrder) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 5000; ++round) {
    const std::uint64_t first = round % 4 == 0 ? random() : 0x1000 - random() % 3;
    const std::uint64_t last =
        first + std::min(UINT64_MAX - first, round % 8 == 0 ? random() : random() % 64);
    std::vector<std::uint64_t> words(random() % (kFilterChunk + 1));
    for (std::uint64_t& word : words)
      word = random() % 3 == 0 ? random() : first + random() % 90 - 8;
    std::vector<std::uint64_t> expected;
    std::ranges::copy_if(words, std::back_inserter(expected),
                         [&](std::uint64_t word) { return first <= word && word <= last; });
    FilteredWords kept;
    const std::size_t count = filter_words(words, first, last, kept);
    ASSERT_EQ(std::vector(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count)),
              expected);
    const std::size_t again = filter_words_one_by_one(words, first, last, kept.data());
    ASSERT_EQ(std::vector(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(again)),
              expected);
  }
}

// Disjoint ranges in order, the last of which may end at 2^64.
std::vector<AddressRange> random_ranges(std::mt19937_64& random) {
  std::vector<AddressRange> ranges;
  WideAddress at = random() % 2 == 0 ? random() % 100 : kAddressEnd - 600;
  const std::uint64_t unit = random() % 2 == 0 ? 1 : 16;
  for (auto count = random() % 6; count > 0; --count) {
    at += random() % 3 * unit;
    const WideAddress end = at + (1 + random() % 4) * unit;
    ranges.push_back({at, end});
    at = end;
  }
  return ranges;
}

TEST(AddressSieve, PassesOnlyWhatARangeHolds) {
  std::mt19937_64 random(2);
  std::uint64_t passed = 0;
  std::uint64_t held = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto ranges = random_ranges(random);
    const AddressSieve sieve(ranges);
    const WideAddress first = ranges.empty() ? 0 : ranges.front().lower;
    for (std::uint64_t i = 0; i < 700; ++i) {
      const auto address = static_cast<std::uint64_t>(first) - 50 + i;
      const bool holds = std::ranges::any_of(
          ranges, [&](const AddressRange& range) { return range.contains(address); });
      ASSERT_TRUE(holds || !sieve.passes(address)) << round << " " << i;
      passed += sieve.passes(address) ? 1 : 0;
      held += holds ? 1 : 0;
    }
  }
  EXPECT_GT(passed * 10, held * 9) << "a sieve that holds everything back is of no use";
}

TEST(AddressSieve, OfManyRangesPassesMostOfEach) {
  std::vector<AddressRange> ranges;
  for (WideAddress at = 0; at < 64 * 1024; at += 1024) ranges.push_back({at, at + 1000});
  const AddressSieve sieve(ranges);
  std::uint64_t passed = 0;
  for (std::uint64_t address = 0; address < 64 * 1024; ++address) {
    passed += sieve.passes(address) ? 1 : 0;
  }
  EXPECT_GT(passed, 64u * 900);
}

TEST(AddressSieve, RangesFarApartAndAllAddressesAreRanges) {
  const std::vector<AddressRange> all = {{0, kAddressEnd}};
  EXPECT_TRUE(AddressSieve(all).passes(UINT64_MAX));
  EXPECT_TRUE(AddressSieve(all).passes(0));
  const std::vector<AddressRange> apart = {{0, 1}, {kAddressEnd - 1, kAddressEnd}};
  EXPECT_FALSE(AddressSieve(apart).passes(1));
  EXPECT_FALSE(AddressSieve(apart).passes(UINT64_MAX - 1));
}

// Launches by the thousand, so that runs and chunks are long, with one stray word at most.
TEST(CertifyArena, FindsTheOneStrayWordOfALongTable) {
  std::mt19937_64 random(3);
  const PlaneTable planes =
      PlaneTable::make(1, {{Address(0x1000), Bytes(0x1000)}}, {range("g", 0x1f00, 0x100)},
                       {{"p", {fresh(range("a", 0x1000, 0x333)), fresh(range("b", 0x1400, 0x80))}},
                        {"q", {fresh(range("c", 0x1100, 0x10))}}})
          .value();
  const std::vector<std::uint64_t> good_p = {0x1000, 0x1332, 0x1400, 0x147f, 0x1f10, 7, 0x2000};
  const std::vector<std::uint64_t> good_q = {0x1100, 0x110f, 0x1f00, 0x1fff, 0xfff, UINT64_MAX};
  const std::vector<std::uint64_t> bad = {0x1333, 0x13ff, 0x1480, 0x1eff, 0x1500};
  for (int round = 0; round < 200; ++round) {
    const std::size_t launches = 1 + random() % 900;
    const std::size_t stray = random() % (launches + launches / 4);
    LaunchScheduleBuilder builder;
    bool is_p = true;
    std::uint32_t stray_word = 0;
    for (std::size_t i = 0; i < launches; ++i) {
      if (random() % 200 == 0) is_p = !is_p;
      const auto& good = is_p ? good_p : good_q;
      std::vector<std::uint64_t> words(1 + random() % 5);
      for (std::uint64_t& word : words) word = good[random() % good.size()];
      if (i == stray) {
        stray_word = static_cast<std::uint32_t>(random() % words.size());
        words[stray_word] = bad[random() % bad.size()];
      }
      builder.launch(is_p ? "p" : "q", words);
      if (random() % 100 == 0) builder.repeat(3, 1);
    }
    builder.submit({0, launches});
    const auto schedule = std::move(builder).build().value();
    const Finding expected =
        stray < launches ? Finding(StrayWord{LaunchId(stray), stray_word}) : Finding(Certified());
    ASSERT_EQ(certify_arena(planes, schedule).finding, expected) << "round " << round;
  }
}

TEST(CertifyArena, ThreadsChangeNothing) {
  const PlaneTable planes =
      PlaneTable::make(1, {{Address(0), Bytes(64)}}, {}, {{"p", {fresh(range("a", 0, 32))}}})
          .value();
  constexpr std::size_t kLaunches = 8500;  // enough words for two threads
  const std::vector<std::uint64_t> words(1000, 5);
  for (const std::size_t stray :
       {std::size_t{0}, std::size_t{4249}, std::size_t{4250}, kLaunches}) {
    LaunchScheduleBuilder builder;
    for (std::size_t i = 0; i < kLaunches; ++i) {
      auto its = words;
      // A second one, later, is not the first.
      if (i >= stray && (i == stray || i == kLaunches - 1)) its[999] = 40;
      builder.launch("p", its);
    }
    builder.submit({0, kLaunches});
    const auto schedule = std::move(builder).build().value();
    const Verdict verdict = certify_arena(planes, schedule);
    EXPECT_EQ(verdict.code(), stray < kLaunches ? 2 + stray : 0);
    for (const unsigned threads : {0U, 2U, 64U}) {
      EXPECT_EQ(judge_arena(planes, schedule, Words::ByInterval, threads), verdict);
    }
  }
}

}  // namespace
}  // namespace berth
