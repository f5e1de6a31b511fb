// Kinds L, M, N: how small the arena is, the same each time, soon.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "berth/formats/plan_json.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::arena_bytes;
using test::Draft;
using test::offset;
using test::planned;
using test::shortfall;
using test::table;

PlanOptions with_capacity(std::uint64_t bytes) {
  PlanOptions options;
  options.capacity = {{"", Bytes(bytes)}};
  return options;
}

constexpr const char* kMiniMalloc = "b1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n";

// t_i lives in [i, i + 2).
std::string chain(std::uint64_t count, std::uint64_t size) {
  std::string text = table("");
  for (std::uint64_t i = 0; i < count; ++i) {
    text += "t" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i + 2) + "," +
            std::to_string(size) + "\n";
  }
  return text;
}

TEST(BugCorpus, L1_ASmallRequestDoesNotTakeTheBigHole) {
  EXPECT_EQ(
      arena_bytes(planned(table("h,0,4,16384\nx,1,4,8192\ny,2,4,16384\n"), with_capacity(40960))),
      40960u);
}

TEST(BugCorpus, L2_TheStretchBeforeTheFirstBlockIsUsed) {
  EXPECT_EQ(arena_bytes(planned(table("A,0,2,100\nB,1,3,80\nC,2,4,60\n"))), 180u);
}

TEST(BugCorpus, L3_TwoSmallBuffersShareOneDeadBigOne) {
  EXPECT_EQ(arena_bytes(planned(table("A,0,3,1000\nB,3,7,400\nC,3,7,500\n"))), 1000u);
}

TEST(BugCorpus, L4_AnotherOrderThanTheFirstFits) {
  const std::string text = table("b0,1,3,4\nb1,3,6,3\nb2,2,5,3\nb3,3,5,3\n");
  EXPECT_EQ(arena_bytes(planned(text, with_capacity(9))), 9u);
  const auto no = test::answer(text, with_capacity(8)).value();
  ASSERT_TRUE(std::holds_alternative<DoesNotFit>(no));
  EXPECT_TRUE(std::get<DoesNotFit>(no).proved);
  EXPECT_NE(std::get<DoesNotFit>(no).report.find("step 3"), std::string::npos);
}

TEST(BugCorpus, L6_PartsWrittenStraightIntoTheJoinedResult) {
  Draft s;
  const OpId j = s.buffer("j", 512), o = s.buffer("o", 512);
  const Plan plan =
      planned(s.schedule({s.call("c0", {s.view(j, 0, 256)}), s.call("c1", {s.view(j, 256, 512)}),
                          s.call("c2", {j}), s.call("c3", {j, o})}));
  EXPECT_EQ(arena_bytes(plan), 1024u);
}

TEST(BugCorpus, L7_TheExampleOfMiniMallocTakesTwelve) {
  EXPECT_EQ(arena_bytes(planned(table(kMiniMalloc), with_capacity(12))), 12u);
  EXPECT_NE(shortfall(table(kMiniMalloc), with_capacity(11)), "");
}

TEST(BugCorpus, L8_AChainOfUniformLayersTakesTwo) {
  for (const std::uint64_t layers : {2, 3, 100}) {
    EXPECT_EQ(arena_bytes(planned(chain(layers, 256))), 512u);
  }
}

std::map<std::string, std::uint64_t> offsets(const Plan& plan) {
  std::map<std::string, std::uint64_t> offsets;
  for (const PlannedBuffer& buffer : plan.buffers) offsets[buffer.name] = buffer.offset.value();
  return offsets;
}

TEST(BugCorpus, M1_ThePlanIsAFunctionOfTheRows) {
  std::mt19937_64 random(1);
  std::vector<std::string> rows;
  for (int i = 0; i < 40; ++i) {
    const auto lower = random() % 20;
    rows.push_back("b" + std::to_string(i) + "," + std::to_string(lower) + "," +
                   std::to_string(lower + 1 + random() % 9) + "," +
                   std::to_string(1 + random() % 6 * 16) + "\n");
  }
  const auto text = [&] {
    std::string joined = table("");
    for (const std::string& row : rows) joined += row;
    return joined;
  };
  const Plan first = planned(text());
  for (int run = 0; run < 100; ++run) EXPECT_EQ(write_plan(planned(text())), write_plan(first));
  for (int shuffle = 0; shuffle < 20; ++shuffle) {
    std::shuffle(rows.begin(), rows.end(), random);
    EXPECT_EQ(offsets(planned(text())), offsets(first));
  }
}

TEST(BugCorpus, M2_TheSeedIsInThePlan) {
  PlanOptions options;
  options.pack.seed = 77;
  const Plan plan = planned(table(kMiniMalloc), options);
  EXPECT_EQ(plan.seed, 77u);
  EXPECT_FALSE(plan.cut);
  EXPECT_EQ(planned(table(kMiniMalloc), options), plan);

  // Enough rows that no search ends before it looks at the clock.
  std::mt19937_64 random(2);
  std::string rows;
  for (int i = 0; i < 2'000; ++i) {
    const auto lower = random() % 900;
    rows += fmt::format("r{},{},{},{}\n", i, lower, lower + 1 + random() % 200, 1 + random() % 999);
  }
  options.pack.time_limit = 0;
  EXPECT_TRUE(planned(table(rows), options).cut);
}

TEST(BugCorpus, N1_AHundredThousandInAChainTakeTwo) {
  EXPECT_EQ(arena_bytes(planned(chain(100'000, 4096))), 8192u);
}

TEST(BugCorpus, N2_TwiceTheChainTakesNoMore) {
  for (const std::uint64_t count : {10'000, 20'000}) {
    const Plan plan = planned(chain(count, 4096));
    EXPECT_EQ(arena_bytes(plan), 8192u);
    const auto places = offsets(plan);
    for (std::uint64_t i = 0; i + 1 < count; ++i) {
      EXPECT_EQ(places.at("t" + std::to_string(i)) + places.at("t" + std::to_string(i + 1)), 4096u);
    }
  }
}

}  // namespace
}  // namespace berth
