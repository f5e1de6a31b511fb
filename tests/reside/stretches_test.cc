#include "berth/reside/stretches.h"

#include <gtest/gtest.h>

#include <random>

#include "berth/certify/prices.h"
#include "berth/reside/best.h"
#include "tests/reside/programs.h"

namespace berth {
namespace {

using Kind = TensorAccess::Kind;

struct Access {
  Step phase;
  Kind kind;
  std::uint64_t bytes;
};
struct Cut {
  std::uint64_t bytes;
  std::vector<Access> accesses;
};

Program program_of(const std::vector<Cut>& tensors, Step phases) {
  Program program{.name = "p"};
  program.phases.resize(phases);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    program.tensors.push_back({.name = "t" + std::to_string(i), .bytes = Bytes(tensors[i].bytes)});
    for (const Access& it : tensors[i].accesses) {
      program.phases[it.phase].accesses.push_back(
          {.tensor = TensorId(i), .kind = it.kind, .bytes = Bytes(it.bytes)});
    }
  }
  return program;
}

// What moves off chip under the best intervals, which the prices prove to be the least, and under
// the best whole lives.
struct Traffic {
  std::uint64_t cut = 0;
  std::uint64_t whole = 0;
  std::vector<PartlyKept> partly;
};

Traffic traffic(const Program& program, std::uint64_t sram) {
  const Deployment deployment{.programs = {{.name = "p", .program = program}}};
  const Target target = test::target_of(sram);
  const auto demand = deployment_demand(deployment, target).value();
  const Residency rule = plan_deployment(deployment, target, demand, Running::OneAtATime);
  const BestPlan whole = plan_best(deployment, target, demand, rule, {});
  const BestPlan cut =
      plan_best(deployment, target, demand, whole.plan, {.choose = {20'000}, .lives = Lives::Cut});
  const ChipCertificate& it = cut.certificates[0];
  EXPECT_EQ(check_prices(it.choice, it.prices),
            PriceVerdict(ProvedBound{saved_by(it.choice, it.kept).value()}));
  EXPECT_LE(cut.plan.programs[0].sram_footprint[0], Bytes(sram));
  return {cut.plan.off_chip().total().count(), whole.plan.off_chip().total().count(),
          cut.plan.programs[0].partly};
}

TEST(Stretches, ATensorThatLeavesAfterAUseMovesLess) {
  const Program program = program_of(
      {{40, {{0, Kind::Write, 40}, {1, Kind::Read, 40}, {9, Kind::Read, 40}}},
       {40, {{3, Kind::Write, 40}, {4, Kind::Read, 40}, {5, Kind::Read, 40}, {6, Kind::Read, 40}}}},
      10);
  const Traffic found = traffic(program, 60);
  EXPECT_EQ(found.whole, 120u);
  EXPECT_EQ(found.cut, 80u);
  ASSERT_EQ(found.partly.size(), 1u);
  EXPECT_EQ(found.partly[0].tensor, TensorId(0));
  EXPECT_EQ(found.partly[0].moved, Bytes(80));
  EXPECT_EQ(found.partly[0].stretches, (std::vector<KeptStretch>{{{0, 2}, Bytes(40)}}));
  EXPECT_EQ(traffic(program, 80).cut, 0u);
  EXPECT_EQ(traffic(program, 40).cut, 80u);
  EXPECT_EQ(traffic(program, 39).cut, 280u);
}

TEST(Stretches, WhatIsReadOftenComesBack) {
  // Away in phase 3 alone: 10 written back, 10 fetched for what reads it four times.
  const Program program =
      program_of({{10, {{0, Kind::Write, 10}, {2, Kind::Read, 10}, {5, Kind::Read, 40}}},
                  {10, {{3, Kind::Write, 30}, {4, Kind::Read, 30}}}},
                 6);
  const Traffic found = traffic(program, 10);
  EXPECT_EQ(found.cut, 20u);
  EXPECT_EQ(found.whole, 60u);
  EXPECT_EQ(found.partly[0].stretches,
            (std::vector<KeptStretch>{{{0, 3}, Bytes(10)}, {{5, 6}, Bytes(30)}}));
}

TEST(Stretches, WhatHasNotBeenWrittenSinceItCameIsNotWrittenBack) {
  const std::vector<TensorUse> uses = {
      {{0, 1}, Bytes(10), true}, {{2, 3}, Bytes(30), false}, {{4, 5}, Bytes(30), false}};
  const std::vector<Stretch> expected = {{{0, 3}, 0, 2, Bytes(30)},
                                         {{0, 5}, 0, 3, Bytes(70)},
                                         {{2, 3}, 1, 2, Bytes(20)},
                                         {{2, 5}, 1, 3, Bytes(50)},
                                         {{4, 5}, 2, 3, Bytes(20)}};
  EXPECT_EQ(stretches_of(uses, Bytes(10)), expected);
}

TEST(Stretches, WhatIsWrittenAnewIsNeitherKeptNorFetched) {
  // Of "a" nobody reads in phase 4 what phase 0 wrote: in between "b" may have the room for
  // nothing.
  const Program program =
      program_of({{60, {{0, Kind::Write, 60}, {1, Kind::Read, 60}, {4, Kind::Write, 60}}},
                  {60, {{2, Kind::Write, 60}, {3, Kind::Read, 60}}}},
                 5);
  const Traffic found = traffic(program, 100);
  EXPECT_EQ(found.whole, 120u);
  EXPECT_EQ(found.cut, 0u);
}

TEST(Stretches, ALifeIsCutAtItsLongestGaps) {
  std::vector<TensorUse> uses;
  for (Step i = 0; i < 20; ++i) {
    const Step phase = i < 4 ? i : 10 * i;
    uses.push_back({{phase, phase + 1}, Bytes(1), i == 0});
  }
  const auto cut = cut_uses(uses);
  ASSERT_EQ(cut.size(), kMostCuts + 1);
  // Of sixteen gaps of equal length the earlier ones count.
  EXPECT_EQ(cut[0], (TensorUse{{0, 4}, Bytes(4), true}));
  EXPECT_EQ(cut[1], (TensorUse{{40, 41}, Bytes(1), false}));
  EXPECT_EQ(cut.back(), (TensorUse{{180, 191}, Bytes(2), false}));
}

// Every way to hold a tensor between its uses, and what each moves: followed use by use.
struct Way {
  std::vector<bool> held;  // by phase
  std::uint64_t moved = 0;
};
std::vector<Way> ways_of(const Cut& tensor, Step phases) {
  std::vector<TensorUse> uses;
  for (const Access& it : tensor.accesses) {
    if (uses.empty() || uses.back().phases.lower != it.phase) {
      uses.push_back({{it.phase, it.phase + 1}, {}, false});
      uses.back().overwrites = it.kind == Kind::Write && it.bytes >= tensor.bytes;
    }
    uses.back().moved += Bytes(it.bytes);
    uses.back().writes = uses.back().writes || it.kind == Kind::Write;
  }
  std::vector<Way> ways;
  const std::size_t n = uses.size();
  // A bit a use says that it is in SRAM; a bit a gap, that it stays there until the next one.
  for (std::uint64_t bits = 0; bits < 1ULL << (2 * n - 1); ++bits) {
    const auto in = [&](std::size_t use) { return (bits >> use & 1) != 0; };
    const auto stays = [&](std::size_t gap) { return (bits >> (n + gap) & 1) != 0; };
    Way way{std::vector<bool>(phases, false)};
    bool is_way = true;
    bool dirty = false;
    for (std::size_t i = 0; i < n; ++i) {
      const bool was_held = i > 0 && stays(i - 1);
      const bool is_held = i + 1 < n && stays(i);
      if (!in(i)) {
        is_way = is_way && !was_held && !is_held;
        way.moved += uses[i].moved.count();
        continue;
      }
      way.held[uses[i].phases.lower] = true;
      if (i > 0 && !was_held && !uses[i].overwrites) way.moved += tensor.bytes;
      dirty = (was_held && dirty) || uses[i].writes;
      const bool is_needed = i + 1 < n && !uses[i + 1].overwrites;
      if (is_needed && !is_held && dirty) way.moved += tensor.bytes;
      for (Step phase = uses[i].phases.lower; is_held && phase < uses[i + 1].phases.lower;
           ++phase) {
        way.held[phase] = true;
      }
    }
    if (is_way) ways.push_back(std::move(way));
  }
  return ways;
}

std::uint64_t least_by_trying(const std::vector<Cut>& tensors, Step phases, std::uint64_t sram) {
  std::vector<std::vector<Way>> ways;
  for (const Cut& it : tensors) ways.push_back(ways_of(it, phases));
  std::vector<std::size_t> pick(tensors.size(), 0);
  std::uint64_t least = UINT64_MAX;
  for (;;) {
    std::vector<std::uint64_t> load(phases, 0);
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < pick.size(); ++i) {
      const Way& way = ways[i][pick[i]];
      moved += way.moved;
      for (Step phase = 0; phase < phases; ++phase) {
        if (way.held[phase]) load[phase] += tensors[i].bytes;
      }
    }
    if (std::ranges::all_of(load, [&](std::uint64_t it) { return it <= sram; })) {
      least = std::min(least, moved);
    }
    std::size_t i = 0;
    while (i < pick.size() && ++pick[i] == ways[i].size()) pick[i++] = 0;
    if (i == pick.size()) return least;
  }
}

std::vector<Cut> random_tensors(std::mt19937_64& random, Step phases) {
  std::vector<Cut> tensors;
  for (std::uint64_t i = 1 + random() % 3; i > 0; --i) {
    Cut tensor{1 + random() % 20, {}};
    Step phase = random() % phases;
    for (std::uint64_t uses = 1 + random() % 4; uses > 0 && phase < phases; --uses) {
      const bool writes = tensor.accesses.empty() || random() % 5 == 0;
      tensor.accesses.push_back({phase, writes ? Kind::Write : Kind::Read, random() % 40});
      phase += random() % 3;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

TEST(Stretches, TheBestIsWhatTryingAllFinds) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Step phases = 1 + random() % 7;
    const auto tensors = random_tensors(random, phases);
    const std::uint64_t sram = 1 + random() % 40;
    const Traffic found = traffic(program_of(tensors, phases), sram);
    ASSERT_EQ(found.cut, least_by_trying(tensors, phases, sram)) << round;
    ASSERT_LE(found.cut, found.whole) << round;
  }
}

}  // namespace
}  // namespace berth
