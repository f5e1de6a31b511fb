#include "berth/pipeline/sweep_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "berth/render/sweep_plot.h"
#include "tests/reside/programs.h"
#include "tests/support/xml.h"

namespace berth {
namespace {

using test::Life;
using test::program_of;
using test::target_of;

Sweep swept(const Deployment& deployment, const SweepRange& range) {
  const auto answer = sweep_deployment(deployment, target_of(1), range, {});
  EXPECT_TRUE(answer) << to_string(answer.error());
  return std::get<Sweep>(*answer);
}

TEST(SweepFile, TheBestIsFoundAtEverySramAndNeverRises) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Life> lives(1 + random() % 6);
    for (Life& life : lives) {
      life.first = random() % 5;
      life.last = life.first + random() % 4;
      life.bytes = random() % 20;
    }
    const Deployment deployment{.programs = {{.name = "p", .program = program_of(lives)}}};
    const Sweep sweep = swept(deployment, {Bytes(1), Bytes(90)});
    auto at = sweep.steps.begin();
    for (std::uint64_t sram = 1; sram <= 90; ++sram) {
      while (at + 1 != sweep.steps.end() && (at + 1)->sram <= Bytes(sram)) ++at;
      const auto alone = swept(deployment, {Bytes(sram), Bytes(sram)}).steps[0];
      ASSERT_EQ(at->best, alone.best) << round << " at " << sram;
      ASSERT_EQ(at->rule, alone.rule) << round << " at " << sram;
      ASSERT_LE(at->bound, at->best);
      ASSERT_LE(at->best, at->rule);
    }
    EXPECT_TRUE(std::ranges::is_sorted(sweep.steps, std::ranges::greater(), &SweepStep::best));
  }
}

TEST(SweepFile, WithoutAnEndStopsWhereNothingChanges) {
  const Deployment deployment{
      .programs = {{.name = "p", .program = program_of({{0, 1, 30}, {1, 2, 30}})}}};
  const Sweep sweep = swept(deployment, {Bytes(1), std::nullopt});
  EXPECT_EQ(sweep.to, Bytes(60));
  EXPECT_EQ(sweep.steps.back().rule, Bytes(0));
}

TEST(SweepFile, ThePictureIsXml) {
  const Deployment deployment{.name = "<&\x01",
                              .programs = {{.name = "p", .program = program_of({{0, 1, 30}})}}};
  for (const SweepRange& range :
       {SweepRange{Bytes(1), std::nullopt}, SweepRange{Bytes(7), Bytes(7)},
        SweepRange{Bytes(UINT64_MAX - 5), Bytes(UINT64_MAX)}}) {
    EXPECT_EQ(test::xml_fault(sweep_svg(swept(deployment, range))), "");
  }
}

}  // namespace
}  // namespace berth
