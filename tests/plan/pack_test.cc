#include "berth/plan/pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "bench/generate.h"
#include "berth/plan/figures.h"
#include "berth/plan/greedy.h"
#include "tests/plan/oracle.h"

namespace berth {
namespace {

Buffer buffer(std::string name, std::uint64_t size, LiveRange life) {
  Buffer made;
  made.name = std::move(name);
  made.size = Bytes(size);
  made.life = life;
  return made;
}

PackAnswer answer(const Instance& instance, const std::string& packer = "auto") {
  PackOptions options;
  options.packer = packer;
  options.effort = 20'000;
  auto result = pack(instance, options);
  EXPECT_TRUE(result.has_value()) << to_string(result.error());
  return *std::move(result);
}

Packing packed(const Instance& instance, const std::string& packer = "auto") {
  return std::get<Packing>(answer(instance, packer));
}

Bytes peak_of(std::vector<Buffer> buffers) {
  const auto instance = generate::on_one_device(std::move(buffers));
  const auto packing = packed(instance);
  EXPECT_EQ(oracle::find_fault(instance, packing.placement), std::nullopt);
  return packing.arenas[0].peak;
}

// Cases that other planners met and missed.

TEST(Auto, FitsThreeTensorsThatJustFillTheChip) {
  EXPECT_EQ(
      peak_of({buffer("h", 16384, {0, 4}), buffer("x", 8192, {1, 4}), buffer("y", 16384, {2, 4})}),
      Bytes(40960));
}

TEST(Auto, TriesTheStretchBeforeTheFirstLiveBlock) {
  const auto instance = generate::on_one_device(
      {buffer("A", 100, {0, 2}), buffer("B", 80, {1, 3}), buffer("C", 60, {2, 4})});
  const auto packing = packed(instance);
  EXPECT_EQ(packing.arenas[0].peak, Bytes(180));
}

TEST(Auto, PutsTwoSmallTensorsIntoOneDeadLargeOne) {
  EXPECT_EQ(
      peak_of({buffer("A", 1000, {0, 3}), buffer("B", 400, {3, 7}), buffer("C", 500, {3, 7})}),
      Bytes(1000));
}

TEST(Auto, SolvesTheExampleOfFiveBuffers) {
  EXPECT_EQ(peak_of({buffer("b1", 4, {0, 3}), buffer("b2", 4, {3, 9}), buffer("b3", 4, {0, 9}),
                     buffer("b4", 4, {9, 21}), buffer("b5", 4, {0, 21})}),
            Bytes(12));
}

TEST(Auto, KeepsAHundredEqualLayersInTwoPlaces) {
  const auto instance = generate::chain(100, 256);
  EXPECT_EQ(packed(instance).arenas[0].peak, Bytes(512));
}

TEST(Auto, EmptyBuffersMeetNothing) {
  const auto instance = generate::on_one_device(
      {buffer("z", 0, {0, 2}), buffer("b", 64, {0, 2}), buffer("y", 0, {1, 3})});
  const auto packing = packed(instance);
  EXPECT_EQ(packing.arenas[0].peak, Bytes(64));
  EXPECT_EQ(packing.placement.places, (std::vector<Offset>(3)));
}

TEST(Auto, AnInstanceOfNothingIsAnEmptyArena) {
  const auto packing = packed(generate::on_one_device({}));
  EXPECT_EQ(packing.arenas[0].peak, Bytes(0));
  EXPECT_TRUE(packing.arenas[0].proved_least());
}

TEST(Auto, PlacesTheFreeBesideTheFixed) {
  auto a = buffer("a", 256, {0, 2});
  a.fixed = Offset(0);
  EXPECT_EQ(peak_of({a, buffer("b", 256, {1, 3})}), Bytes(512));
}

TEST(Auto, SizesMayAddUpToNearly64Bits) {
  const auto huge = std::uint64_t{1} << 62;
  EXPECT_EQ(peak_of({buffer("a", huge, {0, 2}), buffer("b", huge, {1, 3}),
                     buffer("c", huge, {1, 3}), buffer("d", huge - 1, {2, 4})}),
            Bytes(3 * huge));
}

TEST(Auto, OfferedAnAlignmentAsLargeAsTheArenaStaysExact) {
  auto a = buffer("a", 1, {0, 1});
  a.alignment = *Alignment::of(std::uint64_t{1} << 62);
  auto b = buffer("b", 1, {0, 1});
  b.alignment = a.alignment;
  EXPECT_EQ(peak_of({a, b}), Bytes((std::uint64_t{1} << 62) + 1));
}

TEST(Pack, AClashOfFixedBuffersIsAnAnswerThatNamesThemAndTheBytes) {
  std::vector<Buffer> buffers = {buffer("a", 256, {0, 2}), buffer("b", 256, {1, 3}),
                                 buffer("c", 256, {1, 2})};
  buffers[0].fixed = Offset(0);
  buffers[2].fixed = Offset(128);
  const auto infeasible = std::get<Infeasible>(answer(generate::on_one_device(buffers)));
  EXPECT_EQ(infeasible, (Infeasible{FixedClash{BufferId(0), BufferId(2), {128, 256}, {1, 2}}}));
}

TEST(Pack, FixedBuffersThatNeverLiveTogetherMayShareBytes) {
  std::vector<Buffer> buffers = {buffer("a", 256, {0, 2}), buffer("b", 256, {2, 3})};
  buffers[0].fixed = buffers[1].fixed = Offset(7);
  EXPECT_EQ(packed(generate::on_one_device(buffers)).arenas[0].peak, Bytes(263));
}

TEST(Pack, AMisalignedFixedBufferIsAnAnswer) {
  std::vector<Buffer> buffers = {buffer("a", 256, {0, 2})};
  buffers[0].fixed = Offset(24);
  const auto sixteen = *Alignment::of(16);
  const auto infeasible = std::get<Infeasible>(answer(generate::on_one_device(buffers, sixteen)));
  EXPECT_EQ(infeasible, (Infeasible{FixedMisaligned{BufferId(0), sixteen}}));
}

TEST(Pack, TheBytesThatAGapKeepsAreTheOnlyOnesItHolds) {
  std::vector<Buffer> buffers = {buffer("a", 100, {0, 10}), buffer("b", 60, {4, 6})};
  buffers[0].gaps = {{{4, 6}, ByteRange{0, 40}}};
  EXPECT_EQ(peak_of(buffers), Bytes(100));
  buffers[0].gaps[0].kept = ByteRange{20, 60};
  EXPECT_EQ(peak_of(buffers), Bytes(120));
}

TEST(Pack, AHintIsTakenWhereItCostsNothing) {
  std::vector<Buffer> buffers = {buffer("a", 100, {0, 4}), buffer("b", 40, {4, 6})};
  buffers[1].hint = Offset(60);
  EXPECT_EQ(packed(generate::on_one_device(buffers)).placement.places[1], Offset(60));
  buffers[1].hint = Offset(61);
  EXPECT_EQ(packed(generate::on_one_device(buffers)).placement.places[1], Offset(0));
}

TEST(Pack, EachDeviceHasAnArenaOfItsOwn) {
  std::vector<Buffer> buffers = {buffer("a", 256, {0, 1}), buffer("m0", 256, {1, 3}),
                                 buffer("m1", 256, {1, 3})};
  buffers[2].device = DeviceId(1);
  const auto instance = *Instance::make({Device{"D0", {}, {}}, Device{"D1", {}, {}}}, buffers);
  const auto packing = packed(instance);
  EXPECT_EQ(packing.arenas[0].peak, Bytes(256));
  EXPECT_EQ(packing.arenas[1].peak, Bytes(256));
  EXPECT_EQ(packing.placement.places, (std::vector<Offset>(3)));
}

TEST(Pack, AnUnknownPackerIsRefusedWithTheOnesThereAre) {
  PackOptions options;
  options.packer = "magic";
  const auto result = pack(generate::chain(2), options);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, Error::Kind::Usage);
  EXPECT_NE(result.error().hint.find("greedy:ORDER:FIT"), std::string::npos);
}

// Kinds of small instances, each checked pair by pair under each packer.
struct Kind {
  std::string name;
  generate::Traits traits;
};

std::vector<Kind> kinds() {
  using generate::Traits;
  Traits plain = {.buffers = 10, .steps = 10};
  Traits aligned = plain;
  aligned.alignment = aligned.empty = true;
  Traits gaps = plain;
  gaps.gaps = gaps.hints = true;
  Traits fixed = plain;
  fixed.fixed = true;
  Traits everything = {.buffers = 14,
                       .steps = 12,
                       .largest = 9,
                       .empty = true,
                       .alignment = true,
                       .gaps = true,
                       .fixed = true,
                       .hints = true,
                       .devices = 2};
  return {{"plain", plain},
          {"aligned", aligned},
          {"gaps", gaps},
          {"fixed", fixed},
          {"everything", everything}};
}

void expect_sound(const Instance& instance, const Packing& packing) {
  ASSERT_EQ(oracle::find_fault(instance, packing.placement), std::nullopt);
  for (std::size_t d = 0; d < instance.devices().size(); ++d) {
    const ArenaFigures& arena = packing.arenas[d];
    ASSERT_EQ(arena.peak, oracle::peak(instance, packing.placement, DeviceId(d)));
    ASSERT_LE(arena.max_load_unpadded, arena.max_load);
    ASSERT_LE(arena.max_load, arena.lower_bound);
    ASSERT_LE(arena.lower_bound, arena.peak);
  }
}

TEST(Pack, NoPackerLetsTwoLiveBuffersShareAByte) {
  for (const Kind& kind : kinds()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const auto instance = generate::small(kind.traits, seed);
      const bool at_fault = oracle::fixed_are_at_fault(instance);
      for (const auto packer : packer_names()) {
        SCOPED_TRACE(kind.name + " " + std::to_string(seed) + " " + std::string(packer));
        PackOptions options;
        options.packer = packer;
        options.effort = 20'000;
        const auto result = pack(instance, options);
        if (!result) {
          ASSERT_EQ(packer, "tlsf");  // It cannot keep fixed places, and says so.
          continue;
        }
        ASSERT_EQ(std::holds_alternative<Infeasible>(*result), at_fault);
        if (!at_fault) expect_sound(instance, std::get<Packing>(*result));
      }
    }
  }
}

TEST(Auto, IsNeverWorseThanAnyOtherPacker) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto instance = generate::small({.buffers = 20, .steps = 15, .largest = 30}, seed);
    const auto best = packed(instance).arenas[0].peak;
    for (const auto packer : packer_names()) {
      ASSERT_LE(best, packed(instance, std::string(packer)).arenas[0].peak) << seed << packer;
    }
  }
}

TEST(Auto, SpendsNoMoreThanItsEffortBeyondTheFirstAttempt) {
  const auto instance = generate::small({.buffers = 40, .steps = 30, .largest = 90}, 3);
  PackOptions options;
  options.effort = 0;
  const auto hasty = std::get<Packing>(*pack(instance, options));
  EXPECT_EQ(hasty.nodes, 2 * 40u);  // One greedy attempt, and the source's allocator.
  options.effort = 200;
  const auto patient = std::get<Packing>(*pack(instance, options));
  EXPECT_LE(patient.nodes, 240u);
  EXPECT_LE(patient.arenas[0].peak, hasty.arenas[0].peak);
}

// At most 15 bytes are live at once, but buffer 0 stands at [5, 10) and leaves 1 only what is
// above.
Instance cut_up(std::optional<Bytes> capacity) {
  std::vector<Buffer> buffers = {generate::buffer(0, 5, {0, 2}), generate::buffer(1, 6, {0, 1}),
                                 generate::buffer(2, 5, {1, 3}), generate::buffer(3, 5, {1, 3})};
  buffers[0].fixed = Offset(5);
  return *Instance::make({Device{"A", capacity, {}}}, buffers);
}

TEST(Auto, ACapacityThatNothingFitsIsRefusedByProof) {
  const auto least = packed(cut_up(std::nullopt)).arenas[0];
  EXPECT_EQ(least.max_load, Bytes(15));
  EXPECT_EQ(least.peak, Bytes(16));
  EXPECT_TRUE(least.proved_least());
  EXPECT_GT(packed(cut_up(Bytes(15))).arenas[0].lower_bound, Bytes(15));
  EXPECT_EQ(packed(cut_up(Bytes(16))).arenas[0].peak, Bytes(16));
}

TEST(Auto, ACapacityThatIsMetIsFoundWhateverTheGap) {
  const auto loose = generate::small({.buffers = 60, .steps = 40, .largest = 900}, 8);
  const auto least = packed(loose).arenas[0];
  for (const std::uint64_t more : {0u, 10u, 100u}) {
    const Bytes capacity = least.peak + Bytes(more);
    const auto told = *Instance::make({Device{"arena", capacity, {}}},
                                      {loose.buffers().begin(), loose.buffers().end()});
    EXPECT_LE(packed(told).arenas[0].peak, capacity);
  }
}

TEST(Auto, AnInterruptLeavesASoundPackingThatSaysItWasCut) {
  const auto instance = generate::mixed_lives(2'000, 1);
  const std::atomic<bool> interrupt = true;
  PackOptions options;
  options.interrupt = &interrupt;
  const auto hasty = std::get<Packing>(*pack(instance, options));
  EXPECT_TRUE(hasty.cut);
  EXPECT_EQ(oracle::find_fault(instance, hasty.placement), std::nullopt);
}

TEST(Auto, TellsHowFarItHasComeAndNeverGoesBack) {
  const auto instance = generate::small({.buffers = 60, .steps = 40, .largest = 900}, 8);
  std::vector<PackProgress> told;
  PackOptions options;
  options.packer = "exact";
  options.on_progress = [&](const PackProgress& progress) { told.push_back(progress); };
  const auto packing = std::get<Packing>(*pack(instance, options));
  ASSERT_FALSE(told.empty());
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_LE(told[i].best, told[i - 1].best);
    EXPECT_GE(told[i].bound, told[i - 1].bound);
    EXPECT_GE(told[i].nodes, told[i - 1].nodes);
  }
  EXPECT_GE(told.back().best, packing.arenas[0].peak);
}

TEST(Auto, ATimeLimitLeavesASoundPackingThatSaysItWasCut) {
  const auto instance = generate::mixed_lives(2'000, 1);
  PackOptions options;
  options.time_limit = 0;
  const auto hasty = std::get<Packing>(*pack(instance, options));
  EXPECT_TRUE(hasty.cut);
  EXPECT_EQ(oracle::find_fault(instance, hasty.placement), std::nullopt);
  EXPECT_LE(hasty.arenas[0].peak, packed(instance, "tlsf").arenas[0].peak);
  EXPECT_FALSE(packed(generate::chain(100)).cut);
}

TEST(Pack, GivesTheSameBytesEveryTime) {
  generate::Traits traits = {.buffers = 30, .steps = 20, .largest = 40};
  traits.gaps = traits.alignment = true;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto instance = generate::small(traits, seed);
    for (const auto packer : packer_names()) {
      const auto once = packed(instance, std::string(packer));
      const auto twice = packed(instance, std::string(packer));
      ASSERT_EQ(once.placement, twice.placement);
      ASSERT_EQ(once.packer, twice.packer);
    }
  }
}

// The squeaky wheel has windows apart from one another; auto has rules behind it.
TEST(Pack, GivesTheSamePlacesForAnyNumberOfThreads) {
  const std::array instances = {generate::long_and_short(5'000, 1),
                                generate::every_octave(5'000, 2), generate::mixed_lives(5'000, 3)};
  for (const auto& instance : instances) {
    for (const char* packer : {"squeaky", "auto"}) {
      PackOptions options;
      options.packer = packer;
      options.effort = 30'000;
      const auto alone = std::get<Packing>(*pack(instance, options));
      options.threads = 3;
      const auto together = std::get<Packing>(*pack(instance, options));
      EXPECT_EQ(together.placement, alone.placement) << packer;
      EXPECT_EQ(together.nodes, alone.nodes) << packer;
    }
  }
}

TEST(Figures, OfAPlacementFromElsewhereAreItsOwn) {
  const auto instance = generate::on_one_device({buffer("a", 10, {0, 2}), buffer("b", 5, {2, 3})});
  const auto arenas = arena_figures(instance, {{Offset(7), Offset(0)}});
  EXPECT_EQ(arenas[0].peak, Bytes(17));
  EXPECT_EQ(arenas[0].max_load, Bytes(10));
  EXPECT_EQ(arenas[0].lower_bound, Bytes(10));
  EXPECT_FALSE(arenas[0].proved_least());
}

// The cost is counted in ranges read or moved, which no machine changes.
std::uint64_t work_of(const Instance& instance, GreedyRule rule) {
  return pack_greedily(Problem::of_each_device(instance)[0], rule).work;
}

TEST(Greedy, TwiceTheBuffersCostAtMostTwoPointThreeTimesAsMuch) {
  for (const GreedyRule rule : all_greedy_rules()) {
    const auto once = work_of(generate::chain(2'000), rule);
    const auto twice = work_of(generate::chain(4'000), rule);
    EXPECT_LE(10 * twice, 23 * once) << name(rule);
  }
}

TEST(Greedy, MixedLivesCostAtMostTwoPointThreeTimesAsMuchWhenDoubled) {
  const GreedyRule rule;
  const auto once = work_of(generate::mixed_lives(15'000, 1), rule);
  const auto twice = work_of(generate::mixed_lives(30'000, 1), rule);
  EXPECT_LE(10 * twice, 23 * once);
}

// Tries every place from 0 up against every buffer placed before: slow, and plainly right.
Placement place_slowly(const Instance& instance, std::span<const std::uint32_t> order) {
  Placement placement;
  placement.places.resize(instance.size());
  std::vector<BufferId> placed;
  for (const auto index : order) {
    const BufferId id(index);
    Offset place;
    const auto meets = [&](BufferId other) {
      return oracle::share_a_byte(instance, id, place, other, placement.places[other.index()]);
    };
    while (std::any_of(placed.begin(), placed.end(), meets)) place = place + Bytes(1);
    placement.places[index] = place;
    placed.push_back(id);
  }
  return placement;
}

TEST(Greedy, FirstFitIsTheLowestFreePlaceInItsOrder) {
  generate::Traits traits = {.buffers = 25, .steps = 20, .largest = 12};
  for (const bool gaps : {false, true}) {
    traits.gaps = gaps;
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const auto instance = generate::small(traits, seed);
      const auto problem = Problem::of_each_device(instance)[0];
      for (const Order order : all_orders()) {
        const auto slow = place_slowly(instance, tasks_in_order(problem, order));
        ASSERT_EQ(packed(instance, name(GreedyRule{order, Fit::First})).placement, slow)
            << seed << name(order);
      }
    }
  }
}

}  // namespace
}  // namespace berth
