#include "berth/certify/reason.h"

#include <gtest/gtest.h>

#include "bench/generate.h"

namespace berth {
namespace {

using Answer = ReasonVerdict::Answer;

Device device(std::optional<Bytes> capacity, Bytes reserve = {}) {
  return {"CPU", capacity, reserve};
}

Reason reason(std::vector<Buffer> buffers, std::optional<Bytes> capacity, bool minimal = false,
              std::optional<Step> step = {}) {
  return {{}, *Instance::make({device(capacity)}, std::move(buffers)), step, minimal};
}

std::vector<Buffer> pinned_and_wide() {
  std::vector<Buffer> buffers = {generate::buffer(0, 5, {0, 2}), generate::buffer(1, 6, {0, 1})};
  buffers[0].fixed = Offset(5);
  return buffers;
}

TEST(CheckReason, ABufferThatFitsNeitherBelowNorAboveAFixedOne) {
  EXPECT_EQ(check_reason(reason(pinned_and_wide(), Bytes(15), true)).answer, Answer::Confirmed);
  EXPECT_EQ(check_reason(reason(pinned_and_wide(), Bytes(16), true)).answer, Answer::Refuted);
}

TEST(CheckReason, TwoThatAreFixedOverOneAnotherNeedNoCapacity) {
  auto buffers = pinned_and_wide();
  buffers[1].fixed = Offset(9);
  EXPECT_EQ(check_reason(reason(buffers, std::nullopt, true)).answer, Answer::Confirmed);
  buffers[1].fixed = Offset(10);
  EXPECT_EQ(check_reason(reason(buffers, std::nullopt, true)).answer, Answer::Refuted);
}

TEST(CheckReason, OneThatIsFixedWhereItMayNotBe) {
  auto buffers = pinned_and_wide();
  buffers.pop_back();
  buffers[0].alignment = *Alignment::of(4);
  EXPECT_EQ(check_reason(reason(buffers, std::nullopt, true)).answer, Answer::Confirmed);
}

TEST(CheckReason, AThirdThatIsNotNeededIsNotMinimal) {
  auto buffers = pinned_and_wide();
  buffers.push_back(generate::buffer(2, 1, {3, 4}));
  EXPECT_EQ(check_reason(reason(buffers, Bytes(15), false)).answer, Answer::Confirmed);
  const auto verdict = check_reason(reason(buffers, Bytes(15), true));
  EXPECT_EQ(verdict.answer, Answer::Refuted);
  EXPECT_NE(verdict.why.find("without 2"), std::string::npos) << verdict.why;
}

TEST(CheckReason, ALoadIsAddedUp) {
  const std::vector<Buffer> buffers = {generate::buffer(0, 5, {0, 2}),
                                       generate::buffer(1, 6, {1, 3})};
  EXPECT_EQ(check_reason(reason(buffers, Bytes(10), true, 1)).answer, Answer::Confirmed);
  EXPECT_EQ(check_reason(reason(buffers, Bytes(11), true, 1)).answer, Answer::Refuted);
  EXPECT_EQ(check_reason(reason(buffers, Bytes(10), true, 0)).answer, Answer::Refuted);
  EXPECT_EQ(check_reason(reason(buffers, Bytes(5), true, 1)).answer, Answer::Refuted);
  EXPECT_EQ(check_reason(reason(buffers, Bytes(5), false, 1)).answer, Answer::Confirmed);
  EXPECT_EQ(check_reason(reason(buffers, std::nullopt, true, 1)).answer, Answer::Refuted);
}

// Even sizes never fill the 95 bytes below the fixed one, though all 379 bytes are needed.
TEST(CheckReason, TooManyWaysAreUndecided) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < 14; ++i) buffers.push_back(generate::buffer(i, 14 + 2 * i, {0, 1}));
  buffers.push_back(generate::buffer(14, 1, {0, 1}));
  buffers.back().fixed = Offset(95);
  const auto verdict = check_reason(reason(buffers, Bytes(379)), 10'000);
  EXPECT_EQ(verdict.answer, Answer::Undecided);
  EXPECT_LE(verdict.cases, 10'001U);
}

// Whether everything fits, by trying every place of one buffer after another.
bool fits_by_places(const Instance& part, std::vector<std::uint64_t>& places) {
  const auto i = places.size();
  if (i == part.size()) return true;
  const BufferId a(i);
  const auto extent = part.extent(a).count();
  const auto end = part.devices()[0].usable()->count();
  // An empty buffer takes no byte wherever it is, so its first place will do.
  const auto last = extent == 0 ? 0 : end;
  for (std::uint64_t place = 0; place + extent <= last || (extent == 0 && place == 0);
       place += part.alignment(a).value()) {
    if (part[a].fixed && place != part[a].fixed->value() && extent > 0) continue;
    bool is_free = true;
    for (std::size_t j = 0; j < i && is_free; ++j) {
      for (const Section& x : part.sections(a)) {
        for (const Section& y : part.sections(BufferId(j))) {
          const ByteRange mine = {place + x.bytes.lower, place + x.bytes.upper};
          const ByteRange other = {places[j] + y.bytes.lower, places[j] + y.bytes.upper};
          is_free = is_free && !(x.steps.overlaps(y.steps) && mine.overlaps(other));
        }
      }
    }
    if (!is_free) continue;
    places.push_back(place);
    if (fits_by_places(part, places)) return true;
    places.pop_back();
  }
  return false;
}

TEST(CheckReason, AgreesWithEveryPlaceTried) {
  std::size_t confirmed = 0;
  std::size_t refuted = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const generate::Traits traits = {.buffers = 5,
                                     .steps = 5,
                                     .largest = 4,
                                     .empty = seed % 7 == 0,
                                     .alignment = seed % 2 == 0,
                                     .gaps = seed % 3 == 0,
                                     .fixed = seed % 5 == 0};
    const Instance whole = generate::small(traits, seed);
    const std::vector<Buffer> buffers(whole.buffers().begin(), whole.buffers().end());
    for (const std::uint64_t capacity : {4, 7, 9, 12}) {
      const Reason asked = {
          {}, *Instance::make({device(Bytes(capacity))}, buffers, whole.unit()), {}, false};
      std::vector<std::uint64_t> places;
      const bool fits = fits_by_places(asked.part, places);
      ASSERT_EQ(check_reason(asked).answer, fits ? Answer::Refuted : Answer::Confirmed)
          << "seed " << seed << " capacity " << capacity;
      ++(fits ? refuted : confirmed);
    }
  }
  EXPECT_GT(confirmed, 3'000U);
  EXPECT_GT(refuted, 3'000U);
}

// A hostile file may not hold the check up: neither a claim to be minimal nor many that meet.
TEST(CheckReason, ManyBuffersEndIt) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < 100'000; ++i) buffers.push_back(generate::buffer(i, 7, {0, 1}));
  EXPECT_EQ(check_reason(reason(buffers, Bytes(699'999), true, 0)).answer, Answer::Confirmed);
  buffers.resize(900);
  const auto verdict = check_reason(reason(buffers, Bytes(6'299), true), 1'000);
  EXPECT_EQ(verdict.answer, Answer::Undecided);
  EXPECT_LE(verdict.cases, 10U);
}

TEST(ReasonMismatch, WhatNeedsNoCapacityIsOneForAny) {
  auto buffers = pinned_and_wide();
  buffers[1].fixed = Offset(9);
  const auto limited = *Instance::make({device(Bytes(1'000))}, buffers);
  EXPECT_EQ(find_reason_mismatch(reason(buffers, std::nullopt, true), limited), std::nullopt);
}

TEST(ReasonMismatch, NamesWhatTheInputHasOtherwise) {
  const auto why = reason(pinned_and_wide(), Bytes(15), true);
  EXPECT_EQ(find_reason_mismatch(why, why.part), std::nullopt);
  auto longer = pinned_and_wide();
  longer[1].life.upper = 2;
  const auto other = *Instance::make({device(Bytes(15))}, longer);
  EXPECT_NE(find_reason_mismatch(why, other)->find("live [0, 2)"), std::string::npos);
  const auto roomy = *Instance::make({device(Bytes(16))}, pinned_and_wide());
  EXPECT_NE(find_reason_mismatch(why, roomy), std::nullopt);
  const auto tight = *Instance::make({device(Bytes(14))}, pinned_and_wide());
  EXPECT_EQ(find_reason_mismatch(why, tight), std::nullopt);
  longer.pop_back();
  const auto fewer = *Instance::make({device(Bytes(15))}, longer);
  EXPECT_NE(find_reason_mismatch(why, fewer)->find("no buffer 1"), std::string::npos);
}

}  // namespace
}  // namespace berth
