#include <gtest/gtest.h>

#include "tests/regress/bug_corpus.h"

// Values that may share bytes, and those that may not although somebody once let them.
namespace berth {
namespace {

using namespace test;

std::string shared_table(const std::string& rows) {
  return "id,lower,upper,size,reuses,part_of,offset\n" + rows;
}

TEST(BugCorpus, I1_AnOperandThatIsReadLaterIsNotTakenOver) {
  const Plan plan = planned(shared_table("b,0,3,256,,,\np,1,3,256,b,,\nd,2,3,256,,,\n"));
  EXPECT_FALSE(share_a_byte(plan, "p", "b"));
  EXPECT_EQ(arena_bytes(plan), 768U);
}

TEST(BugCorpus, I2_AResultTakesOverAllOfItsOperandOrNoByteOfIt) {
  const Plan alone = planned(shared_table("a,6,8,4096,,,\nb,7,11,4096,a,,\n"));
  EXPECT_EQ(offset(alone, "b"), offset(alone, "a"));
  EXPECT_EQ(arena_bytes(alone), 4096U);
  const Plan beside = planned(shared_table("a,6,8,4096,,,0\nb,7,11,4096,a,,\nk,8,11,1024,,,0\n"));
  EXPECT_FALSE(share_a_byte(beside, "b", "a"));
  EXPECT_FALSE(share_a_byte(beside, "b", "k"));
}

// Of v no permission is given: it is read again for each row of x.
TEST(BugCorpus, I3_OnlyTheDeclaredOperandIsTakenOver) {
  const Plan plan = planned(shared_table("x,0,3,1024,,,\nv,1,3,1024,,,\ny,2,4,1024,x,,\n"));
  EXPECT_EQ(offset(plan, "y"), offset(plan, "x"));
  EXPECT_FALSE(share_a_byte(plan, "y", "v"));
  EXPECT_EQ(arena_bytes(plan), 2048U);
}

TEST(BugCorpus, I4_NothingTakesOverAHeldWeight) {
  PlanOptions options;
  options.hold = {"w0"};
  const Plan plan = planned(shared_table("w0,0,1,256,,,\nu,0,2,256,w0,,\n"), options);
  EXPECT_FALSE(is_planned(plan, "w0"));
  EXPECT_EQ(arena_bytes(plan), 256U);
}

TEST(BugCorpus, L6_PartsAreWrittenStraightIntoTheirPlaceInTheJoinedResult) {
  const Plan plan =
      planned(shared_table("s,0,3,256,,j@0,\nc,1,3,256,,j@256,\nj,2,4,512,,,\no,3,4,512,,,\n"));
  EXPECT_EQ(offset(plan, "s"), offset(plan, "j"));
  EXPECT_EQ(offset(plan, "c"), offset(plan, "j") + 256);
  EXPECT_EQ(arena_bytes(plan), 1024U);
}

}  // namespace
}  // namespace berth
