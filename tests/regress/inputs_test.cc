// Kinds H, K, O: files that are wrong, plans that are judged, and what is said of them.
#include <algorithm>

#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/pipeline/check_file.h"
#include "tests/regress/bug_corpus.h"

namespace berth {
namespace {

using test::arena_bytes;
using test::life;
using test::planned;
using test::refusal;
using test::shortfall;
using test::table;

TEST(BugCorpus, H1_ADoubleIdIsRefused) {
  EXPECT_EQ(refusal(table("a,0,2,4\na,1,3,4\n")),
            "case:3:1: id a already on line 2 (each id must be unique)");
}

TEST(BugCorpus, H2_AnEndIsInclusiveAndAnUpperIsNot) {
  const Plan inclusive = planned("id,start,end,size\na,0,2,4\nb,2,5,4\n");
  EXPECT_EQ(life(inclusive, "a"), (LiveRange{0, 3}));
  EXPECT_EQ(life(inclusive, "b"), (LiveRange{2, 6}));
  EXPECT_EQ(arena_bytes(inclusive), 8u);
  for (const char* header : {"id,lower,upper,size", "buffer_id,begin,upper,size"}) {
    const Plan half_open = planned(std::string(header) + "\na,0,2,4\nb,2,5,4\n");
    EXPECT_EQ(life(half_open, "a"), (LiveRange{0, 2}));
    EXPECT_EQ(arena_bytes(half_open), 4u);
  }
}

TEST(BugCorpus, H3_ReversedNegativeAndEmptyLivesAreRefused) {
  EXPECT_TRUE(
      refusal(table("a,5,3,4\n")).starts_with("case:2:5: the life from 5 to 3 is reversed"));
  EXPECT_TRUE(refusal(table("b,-1,2,4\n")).starts_with("case:2:3: found '-1'"));
  EXPECT_TRUE(refusal(table("c,2,2,4\n")).starts_with("case:2:5: the life from 2 to 2 is empty"));
  EXPECT_TRUE(refusal(table("d,0,2,-4\n")).starts_with("case:2:7: found '-4'"));
}

TEST(BugCorpus, H9_ColumnsInAnyOrderWithCarriageReturns) {
  const std::string text = "size,upper,id,lower\n4,3,a,0\n4,6,b,3\n";
  std::string with_returns;
  for (const char c : text) with_returns += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(arena_bytes(planned(text)), 4u);
  EXPECT_EQ(planned(with_returns).buffers, planned(text).buffers);
}

CheckedFile checked(const std::string& rows) {
  return check_file({"given.csv", "id,lower,upper,size,offset\n" + rows}, {}, {}).value();
}

TEST(BugCorpus, K6_AResultInsideADeadInputIsSoundUntilTheInputIsHeld) {
  EXPECT_TRUE(checked("input,0,3,600,0\nresult,3,4,5,32\n").sound());
  const CheckedFile held = checked("input,0,4,600,0\nresult,3,4,5,32\n");
  ASSERT_EQ(held.verdict.count<SharedBytes>(), 1u);
  EXPECT_EQ(explain(held.verdict.faults()[0], held.plan).substr(0, 36),
            "input and result are both live at st");
}

TEST(BugCorpus, O1_AShortfallSaysWhoWhereAndHowMuch) {
  PlanOptions options;
  options.capacity = {{"", Bytes(1000)}};
  options.reserve = Bytes(600);
  const std::string report = shortfall(table("a,5,9,300\nb,7,9,200\n"), options);
  for (const char* part :
       {"step 7", "capacity", "1000 B", "600 B", "a 300 + b 200", "need", "1100 B", "short by",
        "100 B", "free", "largest hole", "spill or shrink a"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
  }
}

TEST(BugCorpus, O2_TooMuchIsFoundAtPlanTime) {
  PlanOptions options;
  options.capacity = {{"", Bytes(2097152)}};
  const std::string report = shortfall(table("a,0,1,2162688\n"), options);
  for (const char* part : {"2162688", "2097152", "65536"}) {
    EXPECT_NE(report.find(part), std::string::npos) << report;
  }
}

TEST(BugCorpus, O3_FiveHundredFaultsOfAKindAreOneMessage) {
  std::string rows;
  for (int i = 0; i < 500; ++i) {
    rows +=
        "b" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i + 1) + ",8,1\n";
  }
  CheckedFile file = checked(rows);
  for (PlannedBuffer& buffer : file.plan.buffers) buffer.alignment = *Alignment::of(2);
  file.plan.arenas[0].alignment = *Alignment::of(2);
  const PlacementVerdict verdict = check_placement(file.plan);
  EXPECT_EQ(verdict.count<Misaligned>(), 500u);
  const std::string text = explain(verdict, file.plan);
  EXPECT_LT(std::ranges::count(text, '\n'), 20);
  EXPECT_NE(text.find("500 in all"), std::string::npos) << text;
}

TEST(BugCorpus, O4_AFailureIsAValueWithoutAPlan) {
  PlanOptions options;
  options.capacity = {{"", Bytes(100)}};
  const auto answer = test::answer(table("a,0,1,200\n"), options).value();
  EXPECT_TRUE(std::holds_alternative<DoesNotFit>(answer));
}

}  // namespace
}  // namespace berth
