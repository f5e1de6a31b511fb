#include "berth/certify/placement.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/certify/explain_placement.h"
#include "tests/support/plans.h"

namespace berth {
namespace {

using test::alignment;
using test::arena;
using test::buffer;
using test::plan_of;

template <typename Fault>
Fault only_fault(const Plan& plan) {
  const PlacementVerdict verdict = check_placement(plan);
  EXPECT_EQ(verdict.faults().size(), 1U) << explain(verdict, plan);
  if (verdict.sound() || !std::holds_alternative<Fault>(verdict.faults()[0])) {
    ADD_FAILURE() << explain(verdict, plan);
    return {};
  }
  return std::get<Fault>(verdict.faults()[0]);
}

SharedBytes first_meeting(const Plan& plan) {
  const PlacementVerdict verdict = check_placement(plan);
  for (const PlacementFault& fault : verdict.faults()) {
    if (const auto* meeting = std::get_if<SharedBytes>(&fault)) return *meeting;
  }
  ADD_FAILURE() << "no two meet";
  return {};
}

std::string words(const PlacementFault& fault, const Plan& plan) {
  return explain(fault, plan);
}

Plan two_beside_each_other() {
  return plan_of(arena(512, 1), {buffer("a", {0, 2}, 256, 0), buffer("b", {1, 3}, 256, 256)});
}

TEST(CheckPlacement, APlanWithoutBuffersIsSound) {
  EXPECT_TRUE(check_placement(Plan()).sound());
  EXPECT_TRUE(check_placement(plan_of(arena(0), {})).sound());
}

TEST(CheckPlacement, OneUnitTooLowAndTheTwoThatMeetAreNamed) {
  Plan plan = two_beside_each_other();
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[1].offset = Offset(255);
  plan.step_names = {"load", "conv1"};
  const auto fault = only_fault<SharedBytes>(plan);
  EXPECT_EQ(fault, (SharedBytes{0, 1, 1, {255, 256}}));
  EXPECT_EQ(words(fault, plan),
            "a and b are both live at step 1 (conv1) and share bytes [255, 256) of arena CPU");
}

TEST(CheckPlacement, AFixedBufferThatMeetsAnotherIsRefusedWithItsBytes) {
  Plan plan = two_beside_each_other();
  plan.buffers.push_back(buffer("c", {1, 2}, 256, 128));
  const auto verdict = check_placement(plan);
  ASSERT_FALSE(verdict.sound());
  EXPECT_EQ(std::get<SharedBytes>(verdict.faults()[0]), (SharedBytes{0, 2, 1, {128, 256}}));
}

TEST(CheckPlacement, BuffersThatTouchInTimeOrInSpaceDoNotMeet) {
  EXPECT_TRUE(
      check_placement(plan_of(arena(8, 0), {buffer("a", {0, 2}, 8, 0), buffer("b", {2, 3}, 4, 0),
                                            buffer("c", {2, 4}, 4, 4)}))
          .sound());
}

TEST(CheckPlacement, AResultMayTakeAnInputsPlaceUnlessTheInputIsHeldToTheEnd) {
  Plan plan =
      plan_of(arena(600), {buffer("input", {0, 3}, 600, 0), buffer("result", {3, 4}, 5, 32)});
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[0].life.upper = 4;
  const auto verdict = check_placement(plan);
  ASSERT_EQ(verdict.count<SharedBytes>(), 1U);
  EXPECT_EQ(std::get<SharedBytes>(verdict.faults()[0]), (SharedBytes{0, 1, 3, {32, 37}}));
}

TEST(CheckPlacement, TheEarliestMeetingIsNamedFirst) {
  const Plan plan = plan_of(arena(12, 5), {buffer("a", {5, 9}, 4, 0), buffer("b", {6, 9}, 4, 2),
                                           buffer("c", {1, 4}, 4, 8), buffer("d", {3, 9}, 4, 8)});
  const auto verdict = check_placement(plan);
  ASSERT_EQ(verdict.count<SharedBytes>(), 2U);
  EXPECT_EQ(std::get<SharedBytes>(verdict.faults()[0]), (SharedBytes{2, 3, 3, {8, 12}}));
}

TEST(CheckPlacement, BuffersOfDifferentArenasDoNotMeet) {
  Plan plan = plan_of(arena(4), {buffer("a", {0, 2}, 4, 0), buffer("b", {0, 2}, 4, 0)});
  plan.arenas.push_back(arena(4));
  plan.arenas[1].device = "GPU";
  plan.buffers[1].arena = 1;
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, ArenasOfOneDeviceStandOnAddressesOfTheirOwn) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 2}, 256, 0), buffer("b", {0, 2}, 64, 0)});
  plan.arenas.push_back(arena(64));
  plan.buffers[1].arena = 1;
  plan.arenas[0].address = plan.arenas[1].address = Address(4096);
  EXPECT_EQ(only_fault<SharedAddresses>(plan), (SharedAddresses{0, 1, {4096, 4160}}));
  EXPECT_EQ(words(only_fault<SharedAddresses>(plan), plan),
            "arena CPU (arenas[0]) and arena CPU (arenas[1]) share addresses [0x1000, 0x1040): "
            "give one another address");
  plan.arenas[1].address = Address(4096 + 255);
  EXPECT_EQ(only_fault<SharedAddresses>(plan).addresses, (AddressRange{4351, 4352}));
  plan.arenas[1].address = Address(4096 + 256);
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, DevicesHaveAddressesOfTheirOwnButTheMemoriesOfATargetShareThem) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 2}, 256, 0), buffer("b", {0, 2}, 64, 0)});
  plan.arenas.push_back(arena(64));
  plan.buffers[1].arena = 1;
  plan.arenas[0].device = "chip0.sram";
  plan.arenas[1].device = "chip0.dram";
  EXPECT_TRUE(check_placement(plan).sound());
  plan.target.emplace();
  EXPECT_EQ(only_fault<SharedAddresses>(plan), (SharedAddresses{0, 1, {0, 64}}));
}

TEST(CheckPlacement, AnArenaIsComparedWithTheOneThatReachesFurthestBeforeIt) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 2}, 256, 0), buffer("b", {0, 2}, 16, 0),
                                   buffer("c", {0, 2}, 16, 0)});
  plan.arenas.push_back(arena(16));
  plan.arenas.push_back(arena(16));
  plan.buffers[1].arena = 1;
  plan.buffers[2].arena = 2;
  plan.arenas[1].address = Address(300);
  plan.arenas[2].address = Address(32);
  EXPECT_EQ(only_fault<SharedAddresses>(plan), (SharedAddresses{0, 2, {32, 48}}));
  plan.arenas[1].address = Address(16);
  EXPECT_EQ(check_placement(plan).count<SharedAddresses>(), 2U);
}

TEST(CheckPlacement, FiveHundredBuffersThatBreakOneRuleAreCountedAndAFewKept) {
  Plan plan = plan_of(arena(4000), {});
  for (std::uint64_t i = 0; i < 500; ++i) {
    plan.buffers.push_back(buffer("t" + std::to_string(i), {i, i + 1}, 8, 4));
    plan.buffers.back().alignment = alignment(8);
  }
  plan.arenas[0].figures.max_load = plan.arenas[0].figures.max_load_unpadded = Bytes(8);
  const auto verdict = check_placement(plan);
  EXPECT_EQ(verdict.count<Misaligned>(), 500U);
  EXPECT_EQ(verdict.faults().size(), PlacementVerdict::kKept);
  const std::string text = explain(verdict, plan);
  EXPECT_TRUE(text.starts_with("not sound\n  buffer t0: its place 4 "));
  EXPECT_TRUE(text.ends_with("  and 484 more like it, 500 in all\n"));
}

TEST(CheckPlacement, ThePlaceIsTheOffsetLessTheSkew) {
  Plan plan = plan_of(arena(260), {buffer("x", {0, 1}, 256, 4)});
  plan.arenas[0].unit = alignment(256);
  plan.arenas[0].figures = {Bytes(512), Bytes(256), Bytes(256), Bytes(256), 0};
  plan.buffers[0].alignment = alignment(256);
  EXPECT_EQ(only_fault<Misaligned>(plan).place, Offset(4));
  plan.buffers[0].skew = Bytes(4);
  plan.arenas[0].figures.max_load = plan.arenas[0].figures.lower_bound = Bytes(512);
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, AnArenaMustStandAtAMultipleOfItsAlignment) {
  Plan plan = two_beside_each_other();
  plan.arenas[0].alignment = alignment(16);
  plan.arenas[0].address = Address(4104);
  const auto fault = only_fault<MisplacedArena>(plan);
  EXPECT_EQ(words(fault, plan),
            "arena CPU at address 0x1008, which is not a multiple of the 16 that it or a "
            "buffer in it needs");
  plan.arenas[0].address = Address(4112);
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, ABufferMustEndInsideItsArena) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 1}, 256, 1)});
  EXPECT_EQ(only_fault<PastArenaEnd>(plan), (PastArenaEnd{0, 257, Bytes(256)}));
}

TEST(CheckPlacement, TheReserveIsPartOfTheCapacityAndBothAreSaid) {
  Plan plan = plan_of(arena(193331), {buffer("a", {0, 1}, 193331, 0)});
  plan.arenas[0].capacity = Bytes(196608);
  EXPECT_TRUE(check_placement(plan).sound());
  plan.arenas[0].reserve = Bytes(8192);
  EXPECT_EQ(words(only_fault<PastCapacity>(plan), plan),
            "arena CPU needs 193331 bytes of 188416 usable (196608 nominal, 8192 reserved): 4915 "
            "too many");
  plan.arenas[0].reserve = Bytes(196609);
  EXPECT_EQ(only_fault<PastCapacity>(plan).usable, Bytes(0));
}

TEST(CheckPlacement, WhatIsTakenBeforeAnythingIsPlacedCanBeTooMuch) {
  Plan plan = plan_of(arena(0), {});
  plan.arenas[0].capacity = Bytes(4096);
  plan.arenas[0].reserve = Bytes(4096);
  EXPECT_TRUE(check_placement(plan).sound());
  plan.arenas[0].reserve = Bytes(4097);
  EXPECT_EQ(
      words(only_fault<PastCapacity>(plan), plan),
      "arena CPU has 4096 bytes, and more is taken before anything is placed (4097 reserved)");
  plan.arenas[0].reserve = Bytes(96);
  plan.kept.push_back({"state", KeptWhy::Variable, Bytes(4001), "CPU"});
  EXPECT_EQ(
      words(only_fault<PastCapacity>(plan), plan),
      "arena CPU has 4096 bytes, and more is taken before anything is placed (96 reserved, 4001 "
      "kept beside)");
}

TEST(CheckPlacement, AFixedPlaceIsKept) {
  Plan plan = two_beside_each_other();
  plan.buffers[1].fixed = Offset(256);
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[1].fixed = Offset(0);
  EXPECT_EQ(only_fault<MovedFixed>(plan), (MovedFixed{1, Offset(0), Offset(256)}));
}

TEST(CheckPlacement, AnEmptyBufferTakesNothingWhereverItStands) {
  Plan plan = two_beside_each_other();
  plan.buffers.push_back(buffer("z", {0, 3}, 0, 77777));
  plan.buffers.back().alignment = alignment(1024);
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, InAGapABufferHoldsOnlyWhatItKeeps) {
  PlannedBuffer a = buffer("a", {0, 6}, 8, 0);
  a.gaps = {{{1, 3}, std::nullopt}, {{3, 5}, ByteRange{0, 2}}};
  Plan plan = plan_of(arena(8), {a, buffer("b", {1, 3}, 8, 0), buffer("c", {3, 5}, 6, 2)});
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[1].life.upper = 4;
  EXPECT_EQ(first_meeting(plan), (SharedBytes{0, 1, 3, {0, 2}}));
}

TEST(CheckPlacement, KeptBytesAreCountedFromTheFirstByteNotFromThePlace) {
  PlannedBuffer a = buffer("a", {0, 3}, 8, 4);
  a.skew = Bytes(4);
  a.gaps = {{{1, 2}, ByteRange{0, 2}}};
  Plan plan = plan_of(arena(12), {a, buffer("b", {1, 2}, 4, 0)});
  plan.arenas[0].figures.max_load_unpadded = Bytes(8);
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[1].bytes = Bytes(5);
  EXPECT_EQ(first_meeting(plan).bytes, (ByteRange{4, 5}));
}

Plan base_with_views() {
  Plan plan =
      plan_of(arena(1024), {buffer("base", {0, 5}, 1024, 0), buffer("slice", {1, 4}, 256, 256),
                            buffer("part", {2, 3}, 64, 300)});
  plan.buffers[1].view_of = 0;
  plan.buffers[2].view_of = 1;
  return plan;
}

TEST(CheckPlacement, AViewIsBytesOfItsBaseAndCountsOnce) {
  EXPECT_TRUE(check_placement(base_with_views()).sound());
}

TEST(CheckPlacement, AViewMustLieInsideItsBase) {
  const auto why_if = [](auto change) {
    Plan plan = base_with_views();
    change(plan);
    return only_fault<BadView>(plan).why;
  };
  using enum BadView::Why;
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[2].offset = Offset(450); }), OutsideBytes);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[1].life.upper = 6; }), OutsideLife);
  EXPECT_EQ(why_if([](Plan& p) {
              p.buffers[0].gaps = {{{3, 4}, ByteRange{0, 300}}};
            }),
            BaseDoesNotHold);
  EXPECT_EQ(why_if([](Plan& p) {
              p.arenas.push_back(p.arenas[0]);
              p.arenas[1].device = "GPU";
              p.buffers[2].arena = 1;
            }),
            OtherArena);
}

TEST(CheckPlacement, AViewMayLiveInItsBasesGapWhereItsBytesAreKept) {
  Plan plan = base_with_views();
  plan.buffers[0].gaps = {{{3, 4}, ByteRange{256, 512}}};
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, ViewsThatViewEachOtherAreRefused) {
  Plan plan = base_with_views();
  plan.buffers[0].view_of = 2;
  const auto verdict = check_placement(plan);
  EXPECT_EQ(verdict.count<MalformedBuffer>(), 3U);
}

// b takes over a as a dies at step 2, and c takes over b at step 4.
Plan handed_on() {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 3}, 256, 0), buffer("b", {2, 5}, 256, 0),
                                   buffer("c", {4, 6}, 128, 0)});
  plan.buffers[1].reuses = 0;
  plan.buffers[2].reuses = 1;
  return plan;
}

TEST(CheckPlacement, ATakerAndItsDonorShareTheOneStepAndCountOnce) {
  EXPECT_TRUE(check_placement(handed_on()).sound());
}

TEST(CheckPlacement, ReuseIsRefusedForEachReason) {
  const auto why_if = [](auto change) {
    Plan plan = handed_on();
    change(plan);
    const PlacementVerdict verdict = check_placement(plan);
    for (const PlacementFault& fault : verdict.faults()) {
      if (const auto* bad = std::get_if<BadReuse>(&fault)) return std::optional(bad->why);
    }
    return std::optional<BadReuse::Why>();
  };
  using enum BadReuse::Why;
  EXPECT_EQ(why_if([](Plan&) {}), std::nullopt);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[2].reuses = 2; }), Itself);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[2].offset = Offset(64); }), OtherOffset);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[0].bytes = Bytes(255); }), TooLarge);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[2].life.lower = 3; }), NotAtLastStep);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[2].life.lower = 5; }), NotAtLastStep);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[0].gaps = {{{2, 3}, std::nullopt}}; }), DonorInGap);
  EXPECT_EQ(why_if([](Plan& p) { p.buffers[1].life.upper = 3, p.buffers[2].life.lower = 2; }),
            HandedOnAtOnce);
  EXPECT_EQ(why_if([](Plan& p) {
              p.buffers.push_back(buffer("whole", {0, 9}, 256, 0));
              p.buffers[0].view_of = 3;
            }),
            BaseLivesOn);
  EXPECT_EQ(why_if([](Plan& p) {
              p.arenas.push_back(p.arenas[0]);
              p.arenas[1].device = "GPU";
              p.buffers[2].arena = 1;
            }),
            OtherArena);
}

TEST(CheckPlacement, TwoTakersOfOneBufferMeetEachOther) {
  Plan plan = handed_on();
  plan.buffers[2] = buffer("c", {2, 3}, 64, 0);
  plan.buffers[2].reuses = 0;
  const auto fault = only_fault<SharedBytes>(plan);
  EXPECT_EQ(fault, (SharedBytes{1, 2, 2, {0, 64}}));
}

TEST(CheckPlacement, TwoTakersOfDifferentPartsOfOneBufferDoNotMeet) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 2}, 256, 0), buffer("low", {0, 2}, 128, 0),
                                   buffer("high", {0, 2}, 128, 128), buffer("b", {1, 4}, 128, 0),
                                   buffer("c", {1, 4}, 128, 128)});
  plan.buffers[1].view_of = 0;
  plan.buffers[2].view_of = 0;
  plan.buffers[3].reuses = 1;
  plan.buffers[4].reuses = 2;
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, PaddedSizesAddUpAndNotTheRawOnes) {
  Plan plan = plan_of(arena(768), {buffer("a", {0, 1}, 3, 0), buffer("b", {0, 1}, 5, 256),
                                   buffer("c", {0, 1}, 7, 512)});
  plan.arenas[0].unit = alignment(256);
  plan.arenas[0].figures.max_load_unpadded = Bytes(15);
  EXPECT_TRUE(check_placement(plan).sound());
  plan.arenas[0].figures.max_load = Bytes(15);
  EXPECT_EQ(only_fault<WrongClaim>(plan), (WrongClaim{0, WrongClaim::Claim::MaxLoad, 15, 768}));
}

TEST(CheckPlacement, ATakerIsPaddedOnlyIfItNeedsAllOfTheBufferOnWhichItStands) {
  Plan plan = plan_of(arena(256), {buffer("a", {0, 2}, 100, 0), buffer("b", {1, 4}, 100, 0),
                                   buffer("c", {3, 6}, 50, 0), buffer("d", {4, 6}, 128, 128)});
  plan.buffers[1].reuses = 0;
  plan.buffers[2].reuses = 1;
  plan.arenas[0].unit = alignment(128);
  // 128 in steps 0 to 3 for a, then b; 50 and 128 in steps 4 and 5 for c and d.
  plan.arenas[0].figures = {Bytes(256), Bytes(178), Bytes(178), Bytes(178), 4};
  EXPECT_TRUE(check_placement(plan).sound());
  plan.buffers[2].bytes = Bytes(100);
  EXPECT_EQ(check_placement(plan).count<WrongClaim>(), 3U);
  plan.arenas[0].figures = {Bytes(256), Bytes(256), Bytes(228), Bytes(256), 4};
  EXPECT_TRUE(check_placement(plan).sound());
}

TEST(CheckPlacement, EveryClaimIsRecomputed) {
  const auto claim_if = [](auto change) {
    Plan plan = two_beside_each_other();
    change(plan.arenas[0].figures);
    return only_fault<WrongClaim>(plan);
  };
  using enum WrongClaim::Claim;
  EXPECT_EQ(claim_if([](ArenaFigures& f) { f.max_load = Bytes(500); }),
            (WrongClaim{0, MaxLoad, 500, 512}));
  EXPECT_EQ(claim_if([](ArenaFigures& f) { f.max_load_unpadded = Bytes(511); }),
            (WrongClaim{0, MaxLoadUnpadded, 511, 512}));
  EXPECT_EQ(claim_if([](ArenaFigures& f) { f.peak_step = 0; }), (WrongClaim{0, PeakStep, 0, 1}));
  EXPECT_EQ(claim_if([](ArenaFigures& f) { f.lower_bound = Bytes(511); }),
            (WrongClaim{0, LowerBoundBelowLoad, 511, 512}));
  EXPECT_EQ(claim_if([](ArenaFigures& f) { f.lower_bound = Bytes(513); }),
            (WrongClaim{0, LowerBoundAbovePeak, 513, 512}));
}

TEST(CheckPlacement, NonsenseFromAHostileFileIsAFault) {
  constexpr std::uint64_t top = ~std::uint64_t{0};
  const auto why_if = [](auto change) {
    Plan plan = two_beside_each_other();
    change(plan.buffers[1]);
    return only_fault<MalformedBuffer>(plan).why;
  };
  using enum MalformedBuffer::Why;
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.arena = 1; }), NoSuchArena);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.life = {3, 1}; }), EmptyLife);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.gaps = {{{2, 2}, {}}}; }), EmptyGap);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.gaps = {{{2, 4}, {}}}; }), GapOutsideLife);
  EXPECT_EQ(why_if([](PlannedBuffer& b) {
              b.gaps = {{{2, 3}, {}}, {{1, 2}, {}}};
            }),
            GapsOutOfOrder);
  EXPECT_EQ(why_if([](PlannedBuffer& b) {
              b.gaps = {{{2, 3}, ByteRange{0, 257}}};
            }),
            KeptOutsideBuffer);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.skew = Bytes(257); }), StartsBeforeArena);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.offset = Offset(top - 4); }), EndPast64Bits);
  EXPECT_EQ(why_if([](PlannedBuffer& b) {
              b.bytes = Bytes(top), b.skew = b.bytes, b.offset = Offset(top);
            }),
            EndPast64Bits);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.view_of = 2; }), NoSuchBase);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.reuses = 2; }), NoSuchDonor);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.reuses = b.view_of = 0; }), ViewThatReuses);
  EXPECT_EQ(why_if([](PlannedBuffer& b) { b.view_of = 1; }), ViewOfItself);
}

TEST(CheckPlacement, SumsPast64BitsAreFaults) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  Plan plan = plan_of(arena(~std::uint64_t{0}),
                      {buffer("a", {0, half}, half, 0), buffer("b", {0, 1}, half - 1, half)});
  EXPECT_TRUE(check_placement(plan).sound());

  plan.arenas[0].unit = alignment(half);  // b's padded size is half, too
  const auto fault = only_fault<WrongClaim>(plan);
  EXPECT_EQ(fault.claim, WrongClaim::Claim::MaxLoad);
  EXPECT_EQ(fault.found, std::nullopt);
  EXPECT_TRUE(words(fault, plan).ends_with("but its buffers say more than 64 bits hold"));

  plan.arenas[0].address = Address(16);
  EXPECT_EQ(check_placement(plan).count<MisplacedArena>(), 1U);
}

TEST(CheckPlacement, AnArenaMayEndAtTheEndOfTheAddresses) {
  Plan plan = two_beside_each_other();
  const std::uint64_t bytes = plan.arenas[0].figures.peak.count();
  plan.arenas[0].address = Address(UINT64_MAX - (bytes - 1));
  EXPECT_TRUE(check_placement(plan).sound()) << explain(check_placement(plan), plan);
  plan.arenas[0].address = Address(plan.arenas[0].address.value() + 1);
  EXPECT_EQ(check_placement(plan).count<MisplacedArena>(), 1U);
}

TEST(CheckPlacement, NamesAreShownWithoutTheirControlCharacters) {
  Plan plan = two_beside_each_other();
  plan.buffers[1].name = "b\x1B[2J";
  plan.buffers[1].offset = Offset(200);
  EXPECT_EQ(explain(check_placement(plan), plan).find('\x1B'), std::string::npos);
}

std::size_t largest_count(const std::map<std::size_t, int>& seen) {
  std::size_t kinds = 0;
  for (const auto& [kind, times] : seen) kinds += times >= 20 ? 1 : 0;
  return kinds;
}

TEST(CheckPlacement, AcceptsAMutantIfAndOnlyIfNoCellIsWrong) {
  std::mt19937_64 random(2026);
  std::map<std::size_t, int> seen;  // by variant index of the first fault
  int sound = 0;
  int with_views = 0;
  int with_reuses = 0;
  int with_gaps = 0;
  for (int i = 0; i < 400; ++i) {
    const Plan plan = test::random_sound_plan(random);
    ASSERT_TRUE(check_placement(plan).sound()) << i << ": " << explain(check_placement(plan), plan);
    for (const PlannedBuffer& b : plan.buffers) {
      with_views += b.view_of ? 1 : 0;
      with_reuses += b.reuses ? 1 : 0;
      with_gaps += b.gaps.empty() ? 0 : 1;
    }
    for (int j = 0; j < 25; ++j) {
      const Plan mutant = test::mutant_of(plan, random);
      const PlacementVerdict verdict = check_placement(mutant);
      ASSERT_EQ(verdict.sound(), test::is_sound_cell_by_cell(mutant))
          << i << "/" << j << ": " << explain(verdict, mutant);
      if (verdict.sound()) ++sound;
      for (const PlacementFault& fault : verdict.faults()) ++seen[fault.index()];
    }
  }
  EXPECT_GT(sound, 500);
  EXPECT_GT(with_views, 100);
  EXPECT_GT(with_reuses, 30);
  EXPECT_GT(with_gaps, 100);
  EXPECT_EQ(largest_count(seen), std::variant_size_v<PlacementFault>);
}

}  // namespace
}  // namespace berth
