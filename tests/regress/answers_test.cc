#include <gtest/gtest.h>

#include "berth/pipeline/peak_kinds.h"
#include "berth/render/table.h"
#include "tests/regress/bug_corpus.h"
#include "tests/testing/tflite_model.h"

// What is said of an answer: by how much it is missed, what it is made of, why a sum is refused.
namespace berth {
namespace {

using namespace test;

PlanOptions reserved(std::uint64_t capacity, std::uint64_t reserve) {
  PlanOptions options;
  options.capacity = {{"", Bytes(capacity)}};
  options.reserve = Bytes(reserve);
  return options;
}

TEST(Answers, AReservePastTheCapacityCountsInWhatIsMissing) {
  const std::string report = shortfall(table("a,0,2,1024\n"), reserved(4096, 8192));
  EXPECT_NE(report.find("more is reserved than there is"), std::string::npos) << report;
  EXPECT_NE(report.find("by itself 4096 more than the capacity"), std::string::npos) << report;
  EXPECT_NE(report.find("short by   5120 B"), std::string::npos) << report;
  EXPECT_EQ(shortfall(table("a,0,2,1024\n"), reserved(9216, 8192)), "");
  EXPECT_NE(shortfall(table("a,0,2,1024\n"), reserved(9215, 8192)).find("short by      1 B"),
            std::string::npos);
}

TEST(Answers, AReservePastTheCapacityFitsNothingNotEvenNothing) {
  for (const char* rows : {"", "a,0,2,0\n"}) {
    const auto found = answer(table(rows), reserved(4096, 8192)).value();
    const auto* no = std::get_if<DoesNotFit>(&found);
    ASSERT_NE(no, nullptr) << rows;
    EXPECT_TRUE(no->proved);
    EXPECT_TRUE(no->over_reserved);
    EXPECT_NE(no->report.find("4096"), std::string::npos) << no->report;
    EXPECT_EQ(shortfall(table(rows), reserved(8192, 8192)), "");
  }
}

TEST(Answers, ASumPast64BitsIsToldWithItsRounding) {
  EXPECT_NE(refusal(table("a,0,2,9223372036854775808\nb,0,2,9223372036854775808\n"))
                .find("add up to 18446744073709551616: that is more than 64 bits hold"),
            std::string::npos);
  EXPECT_NE(refusal("id,lower,upper,size,alignment\na,0,2,18446744073709551615,\nb,0,2,1,64\n")
                .find("add up to 18446744073709551679 (with what each alignment may cost)"),
            std::string::npos);
  PlanOptions options;
  options.alignment = Alignment::of(256);
  const auto refused =
      answer(table("a,0,2,9223372036854775809\nb,0,2,9223372036854775500\n"), options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("each size rounded up to 256"), std::string::npos)
      << refused.error().message;
}

// x is read to the end, where y is made; scratch of 32 at the step that most is live in.
TEST(Answers, ThePeakIsToldByKind) {
  const testing::TestGraph graph = {
      .tensors = {testing::sized("x", 64), testing::sized("h", 160), testing::sized("y", 96)},
      .inputs = {0},
      .outputs = {2},
      .ops = {{testing::kConv2d, {0}, {1}}, {testing::kAdd, {1, 0}, {2}}}};
  PlanOptions options;
  options.scratch = {{"1", Bytes(32)}};
  const auto found = answer(testing::tflite_bytes(graph), options).value();
  const auto& planned = std::get<PlannedFile>(found);
  const auto lines = peaks_by_kind(planned.question, planned.plan);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], "inputs 64, outputs 96, intermediates 160, persistent 0, scratch 32");
  const std::string text = plan_table(planned.plan, Colour::Off, {.by_kind = lines});
  EXPECT_NE(text.find("  max load by kind: " + lines[0] + "\n"), std::string::npos) << text;
  EXPECT_TRUE(peaks_by_kind(planned.question, Plan()).empty());
}

TEST(Answers, WhatStoppedASearchIsNamed) {
  Plan plan = planned(table("a,0,2,100\nb,1,3,50\n"));
  plan.cut = true;
  plan.arenas[0].figures.peak = Bytes(200);
  EXPECT_NE(plan_table(plan).find("a time limit stopped the search"), std::string::npos);
  EXPECT_NE(plan_table(plan, Colour::Off, {.cut_by = "an interrupt"})
                .find("an interrupt stopped the search"),
            std::string::npos);
}

}  // namespace
}  // namespace berth
