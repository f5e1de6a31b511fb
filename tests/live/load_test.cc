#include "berth/live/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bench/generate.h"

namespace berth {
namespace {

constexpr Step kLastStep = std::numeric_limits<Step>::max();

Buffer buffer(std::string name, std::uint64_t size, LiveRange life) {
  Buffer made;
  made.name = std::move(name);
  made.size = Bytes(size);
  made.life = life;
  return made;
}

LoadCurve curve_of(std::vector<Buffer> buffers, std::uint64_t unit = 1) {
  const auto instance = generate::on_one_device(std::move(buffers), *Alignment::of(unit));
  return load_curves(instance, Sizes::Padded)[0];
}

TEST(MaxLoad, BuffersThatTouchInTimeDoNotAddUp) {
  const std::array buffers = {buffer("query", 96, {0, 4}), buffer("score", 64, {4, 6})};
  EXPECT_EQ(max_load(buffers), Bytes(96));
}

TEST(MaxLoad, OfNothingIsNothing) {
  EXPECT_EQ(max_load({}), Bytes(0));
}

TEST(MaxLoad, AGapCountsOnlyTheBytesThatItKeeps) {
  auto with_gap = buffer("a", 100, {0, 10});
  with_gap.gaps = {{{2, 4}, {}}, {{6, 8}, ByteRange{10, 30}}};
  EXPECT_EQ(max_load(std::array{with_gap, buffer("b", 50, {2, 4})}), Bytes(100));
  EXPECT_EQ(max_load(std::array{with_gap, buffer("b", 50, {3, 5})}), Bytes(150));
  EXPECT_EQ(max_load(std::array{with_gap, buffer("b", 90, {6, 8})}), Bytes(110));
}

TEST(LoadCurve, IsAStaircaseWithAPointAtEachStartAndEnd) {
  const auto curve =
      curve_of({buffer("a", 4, {1, 5}), buffer("b", 2, {3, 9}), buffer("c", 4, {5, 6})});
  const std::vector<LoadPoint> expected = {
      {1, Bytes(4)}, {3, Bytes(6)}, {5, Bytes(6)}, {6, Bytes(2)}, {9, Bytes(0)}};
  EXPECT_TRUE(std::ranges::equal(curve.points(), expected));
  EXPECT_EQ(curve.max(), Bytes(6));
  EXPECT_EQ(curve.peak_step(), 3u);
}

TEST(LoadCurve, AnswersBeforeBetweenAndAfterItsPoints) {
  const auto curve = curve_of({buffer("a", 4, {10, 20}), buffer("b", 2, {30, 40})});
  EXPECT_EQ(curve.at(9), Bytes(0));
  EXPECT_EQ(curve.at(10), Bytes(4));
  EXPECT_EQ(curve.at(19), Bytes(4));
  EXPECT_EQ(curve.at(20), Bytes(0));
  EXPECT_EQ(curve.max_over({0, 10}), Bytes(0));
  EXPECT_EQ(curve.max_over({15, 35}), Bytes(4));
  EXPECT_EQ(curve.max_over({20, 31}), Bytes(2));
  EXPECT_EQ(curve.max_over({40, 99}), Bytes(0));
  EXPECT_EQ(curve.max_over({12, 12}), Bytes(0));
}

TEST(LoadCurve, TheClockMayCountUpToTheLastNumber) {
  const auto curve =
      curve_of({buffer("a", 4, {0, kLastStep}), buffer("b", 3, {kLastStep - 1, kLastStep})});
  EXPECT_EQ(curve.max(), Bytes(7));
  EXPECT_EQ(curve.peak_step(), kLastStep - 1);
  EXPECT_EQ(curve.at(kLastStep), Bytes(0));
}

TEST(LoadCurve, AddsUpPaddedSizesOrThoseGiven) {
  std::vector<Buffer> buffers = {buffer("a", 3, {0, 2}), buffer("b", 5, {1, 3}),
                                 buffer("c", 7, {1, 2})};
  buffers[0].skew = Bytes(14);
  const auto instance = generate::on_one_device(buffers, *Alignment::of(16));
  EXPECT_EQ(load_curves(instance, Sizes::Padded)[0].max(), Bytes(64));
  EXPECT_EQ(load_curves(instance, Sizes::Given)[0].max(), Bytes(15));
}

TEST(LoadCurve, AnEmptyBufferAddsNoPoint) {
  EXPECT_TRUE(curve_of({buffer("a", 0, {0, 2})}, 16).points().empty());
}

TEST(LoadCurve, EachDeviceHasItsOwn) {
  std::vector<Buffer> buffers = {buffer("a", 3, {0, 2}), buffer("b", 5, {0, 2})};
  buffers[1].device = DeviceId(1);
  const auto instance = Instance::make({Device{"x", {}, {}}, Device{"y", {}, {}}}, buffers);
  const auto curves = load_curves(*instance, Sizes::Padded);
  EXPECT_EQ(curves[0].max(), Bytes(3));
  EXPECT_EQ(curves[1].max(), Bytes(5));
}

// The load at one step, added up buffer by buffer.
Bytes load_by_hand(const Instance& instance, Step step) {
  Bytes load;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    for (const Section& section : instance.sections(BufferId(i))) {
      if (section.steps.contains(step)) load += Bytes(section.bytes.upper - section.bytes.lower);
    }
  }
  return load;
}

TEST(LoadCurve, AgreesWithAddingUpStepByStep) {
  generate::Traits traits;
  traits.empty = traits.alignment = traits.gaps = true;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto instance = generate::small(traits, seed);
    const auto curve = load_curves(instance, Sizes::Padded)[0];
    for (Step from = 0; from < traits.steps; ++from) {
      Bytes largest;
      for (Step until = from + 1; until <= traits.steps; ++until) {
        largest = std::max(largest, load_by_hand(instance, until - 1));
        ASSERT_EQ(curve.max_over({from, until}), largest) << seed << ' ' << from << ' ' << until;
      }
    }
  }
}

}  // namespace
}  // namespace berth
