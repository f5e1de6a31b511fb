#include "berth/live/sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace berth {
namespace {

using Kind = SharePermission::Kind;

Sharer sharer(std::size_t root, std::uint64_t bytes, Step lower, Step upper) {
  return {.root = root,
          .offset = Bytes(0),
          .bytes = Bytes(bytes),
          .life = {lower, upper},
          .alignment = {},
          .fixed = {},
          .apart = false};
}

std::optional<Guest> granted(std::vector<Sharer> sharers, SharePermission permission,
                             Alignment unit = {}) {
  return grant(sharers, std::vector{permission}, unit)[permission.guest];
}

constexpr SharePermission kOneOverZero = {Kind::TakesOver, 1, 0, Bytes(0)};

TEST(Sharing, AGuestTakesOverWhatDiesAsItBegins) {
  EXPECT_TRUE(granted({sharer(0, 8, 0, 3), sharer(1, 8, 2, 5)}, kOneOverZero));
  EXPECT_TRUE(granted({sharer(0, 8, 0, 3), sharer(1, 4, 2, 5)}, kOneOverZero));
}

TEST(Sharing, NothingThatLivesOnOrDiedBeforeIsTakenOver) {
  EXPECT_FALSE(granted({sharer(0, 8, 0, 4), sharer(1, 8, 2, 5)}, kOneOverZero));
  EXPECT_FALSE(granted({sharer(0, 8, 0, 2), sharer(1, 8, 2, 5)}, kOneOverZero));
}

TEST(Sharing, AGuestIsNoLargerThanWhatItTakesOver) {
  EXPECT_FALSE(granted({sharer(0, 8, 0, 3), sharer(1, 9, 2, 5)}, kOneOverZero));
}

TEST(Sharing, OnlyOneGuestTakesOverTheSameBytes) {
  const std::vector sharers = {sharer(0, 8, 0, 3), sharer(1, 8, 2, 5), sharer(2, 8, 2, 6)};
  const std::vector<SharePermission> permissions = {{Kind::TakesOver, 2, 0, Bytes(0)},
                                                    kOneOverZero};
  const auto guests = grant(sharers, permissions, {});
  EXPECT_TRUE(guests[1]);
  EXPECT_FALSE(guests[2]);
}

TEST(Sharing, AChainTakesOverStepByStepButNotTwiceInOne) {
  const auto guests =
      grant(std::vector{sharer(0, 8, 0, 2), sharer(1, 8, 1, 3), sharer(2, 8, 2, 4)},
            std::vector<SharePermission>{kOneOverZero, {Kind::TakesOver, 2, 1, Bytes(0)}}, {});
  EXPECT_EQ(guests[2]->host, 0u);
  const auto at_once =
      grant(std::vector{sharer(0, 8, 0, 2), sharer(1, 8, 1, 2), sharer(2, 8, 1, 4)},
            std::vector<SharePermission>{kOneOverZero, {Kind::TakesOver, 2, 1, Bytes(0)}}, {});
  EXPECT_TRUE(at_once[1]);
  EXPECT_FALSE(at_once[2]);
}

// Whichever of them the order of the rows brings first.
TEST(Sharing, BytesAreHandedOnOnceInAStep) {
  const auto guests = grant(std::vector{sharer(0, 1, 3, 5), sharer(1, 1, 3, 4), sharer(2, 1, 2, 4)},
                            std::vector<SharePermission>{{Kind::TakesOver, 0, 1, Bytes(0)},
                                                         {Kind::TakesOver, 1, 2, Bytes(0)}},
                            {});
  EXPECT_TRUE(guests[0]);
  EXPECT_FALSE(guests[1]);
}

TEST(Sharing, NothingIsTakenOverInTheStepInWhichItIsJoined) {
  // p is copied into j in step 1, and r is computed over p in the same step.
  const std::vector<SharePermission> permissions = {{Kind::PartOf, 0, 1, Bytes(0)},
                                                    {Kind::TakesOver, 2, 0, Bytes(0)}};
  const auto guests = grant(std::vector{sharer(0, 2, 0, 2), sharer(1, 4, 1, 2), sharer(2, 2, 1, 3)},
                            permissions, {});
  EXPECT_TRUE(guests[0]);
  EXPECT_FALSE(guests[2]);
}

TEST(Sharing, NothingTakesOverWhatIsGivenOutOrAPartOfIt) {
  Sharer given_out = sharer(0, 8, 0, 3);
  given_out.given_out = true;
  EXPECT_FALSE(granted({given_out, sharer(1, 8, 2, 3)}, kOneOverZero));
  // The part dies as the guest begins, which is the last step of the whole too.
  const std::vector<SharePermission> permissions = {{Kind::PartOf, 1, 0, Bytes(0)},
                                                    {Kind::TakesOver, 2, 1, Bytes(0)}};
  std::vector sharers = {sharer(0, 8, 1, 3), sharer(1, 4, 0, 3), sharer(2, 4, 2, 3)};
  EXPECT_TRUE(grant(sharers, permissions, {})[2]);
  sharers[0].given_out = true;
  EXPECT_FALSE(grant(sharers, permissions, {})[2]);
  // Nor over a whole of which a part is given out.
  std::vector<SharePermission> of_whole = {{Kind::PartOf, 1, 0, Bytes(0)},
                                           {Kind::TakesOver, 2, 0, Bytes(0)}};
  sharers[0].given_out = false;
  EXPECT_TRUE(grant(sharers, of_whole, {})[2]);
  sharers[1].given_out = true;
  EXPECT_FALSE(grant(sharers, of_whole, {})[2]);
}

TEST(Sharing, WhatStandsInAViewStandsWhereTheViewDoes) {
  auto view = sharer(0, 4, 0, 3);
  view.offset = Bytes(4);
  const std::vector sharers = {sharer(0, 8, 0, 3), view, sharer(2, 4, 2, 5)};
  const auto guests =
      grant(sharers, std::vector<SharePermission>{{Kind::TakesOver, 2, 1, Bytes(0)}}, {});
  EXPECT_EQ(guests[2]->host, 0u);
  EXPECT_EQ(guests[2]->offset, Bytes(4));
}

constexpr SharePermission part(std::size_t guest, std::size_t whole, std::uint64_t offset) {
  return {Kind::PartOf, guest, whole, Bytes(offset)};
}

TEST(Sharing, PartsStandInTheirWhole) {
  const auto guests = grant(std::vector{sharer(0, 4, 0, 3), sharer(1, 4, 1, 3), sharer(2, 8, 2, 5)},
                            std::vector{part(0, 2, 0), part(1, 2, 4)}, {});
  EXPECT_EQ(guests[0]->host, 2u);
  EXPECT_EQ(guests[1]->offset, Bytes(4));
}

TEST(Sharing, APartThatIsDeadBeforeItIsJoinedStandsApart) {
  EXPECT_FALSE(granted({sharer(0, 4, 0, 2), sharer(1, 8, 2, 5)}, part(0, 1, 0)));
}

TEST(Sharing, APartThatIsBornAsItIsJoinedStandsApart) {
  EXPECT_FALSE(granted({sharer(0, 4, 2, 4), sharer(1, 8, 2, 5)}, part(0, 1, 0)));
}

TEST(Sharing, TwoPartsNeverShareAByte) {
  const auto guests = grant(std::vector{sharer(0, 4, 0, 3), sharer(1, 4, 0, 3), sharer(2, 8, 2, 5)},
                            std::vector{part(0, 2, 0), part(1, 2, 3)}, {});
  EXPECT_TRUE(guests[0]);
  EXPECT_FALSE(guests[1]);
}

TEST(Sharing, APartStandsAtAMultipleOfTheUnitAndItsAlignment) {
  EXPECT_FALSE(granted({sharer(0, 4, 0, 3), sharer(1, 8, 2, 5)}, part(0, 1, 4), *Alignment::of(8)));
  auto aligned = sharer(0, 4, 0, 3);
  aligned.alignment = *Alignment::of(8);
  EXPECT_FALSE(granted({aligned, sharer(1, 8, 2, 5)}, part(0, 1, 4)));
  EXPECT_TRUE(granted({aligned, sharer(1, 8, 2, 5)}, part(0, 1, 0)));
}

TEST(Sharing, PartsOfPartsStandInTheOutermostWhole) {
  const auto guests = grant(std::vector{sharer(0, 2, 0, 2), sharer(1, 4, 1, 3), sharer(2, 8, 2, 5)},
                            std::vector{part(0, 1, 2), part(1, 2, 4)}, {});
  EXPECT_EQ(guests[0]->on, 1u);
  EXPECT_EQ(guests[0]->host, 2u);
  EXPECT_EQ(guests[0]->offset, Bytes(6));
}

TEST(Sharing, NothingTakesOverAWholeOfWhichAPartLivesOn) {
  const std::vector sharers = {sharer(0, 4, 0, 9), sharer(1, 8, 2, 5), sharer(2, 8, 4, 6)};
  const auto guests = grant(
      sharers, std::vector<SharePermission>{part(0, 1, 0), {Kind::TakesOver, 2, 1, Bytes(0)}}, {});
  EXPECT_TRUE(guests[0]);
  EXPECT_FALSE(guests[2]);
}

TEST(Sharing, FixedPlacesThatDoNotAgreeStandApart) {
  auto a = sharer(0, 8, 0, 3);
  auto b = sharer(1, 8, 2, 5);
  a.fixed = Offset(64);
  b.fixed = Offset(0);
  EXPECT_FALSE(granted({a, b}, kOneOverZero));
  b.fixed = Offset(64);
  EXPECT_TRUE(granted({a, b}, kOneOverZero));
  b.fixed.reset();  // it could not stand where something else is fixed
  EXPECT_FALSE(granted({a, b}, kOneOverZero));
}

TEST(Sharing, PartsNestAsDeepAsTheyMayAndNoDeeper) {
  std::vector<Sharer> sharers;
  std::vector<SharePermission> permissions;
  for (std::size_t i = 0; i < 100'000; ++i) {
    sharers.push_back(sharer(i, 8, i, i + 2));
    if (i > 0) permissions.push_back(part(i - 1, i, 0));
  }
  const auto guests = grant(sharers, permissions, {});
  EXPECT_EQ(
      std::count_if(guests.begin(), guests.end(), [](const auto& g) { return !g.has_value(); }),
      (100'000 + 64) / 65);
}

TEST(HeldLife, BytesBetweenTheLowestAndTheHighestAreHeld) {
  const std::vector<HeldBytes> held = {{{0, 3}, {0, 4}}, {{1, 3}, {6, 8}}, {{2, 5}, {0, 8}}};
  const auto [life, gaps] = held_life(held, Bytes(8));
  EXPECT_EQ(life, (LiveRange{0, 5}));
  EXPECT_EQ(gaps, (std::vector<Gap>{{{0, 1}, ByteRange{0, 4}}}));
}

TEST(HeldLife, WhatNobodyHoldsIsAGap) {
  const std::vector<HeldBytes> held = {{{0, 2}, {0, 8}}, {{4, 5}, {2, 8}}};
  const auto [life, gaps] = held_life(held, Bytes(8));
  EXPECT_EQ(life, (LiveRange{0, 5}));
  EXPECT_EQ(gaps, (std::vector<Gap>{{{2, 4}, std::nullopt}, {{4, 5}, ByteRange{2, 8}}}));
}

// Step by step, byte by byte.
TEST(HeldLife, IsTheHullOfWhatIsHeldAtEachStep) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::vector<HeldBytes> held;
    for (std::size_t i = 1 + random() % 5; i > 0; --i) {
      const Step first = random() % 8;
      const std::uint64_t begin = random() % 8;
      held.push_back({{first, first + 1 + random() % 5}, {begin, begin + 1 + random() % 5}});
    }
    const auto [life, gaps] = held_life(held, Bytes(16));
    for (Step step = 0; step < 16; ++step) {
      std::uint64_t lowest = 16, highest = 0;
      for (const HeldBytes& part : held) {
        if (step < part.steps.lower || step >= part.steps.upper) continue;
        lowest = std::min(lowest, part.bytes.lower);
        highest = std::max(highest, part.bytes.upper);
      }
      std::optional<ByteRange> expected;
      if (lowest < highest) expected = ByteRange{lowest, highest};
      std::optional<ByteRange> found;
      if (step >= life.lower && step < life.upper) found = ByteRange{0, 16};
      for (const Gap& gap : gaps) {
        if (step >= gap.steps.lower && step < gap.steps.upper) found = gap.kept;
      }
      EXPECT_EQ(found, expected) << "round " << round << " step " << step;
    }
  }
}

}  // namespace
}  // namespace berth
