#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

class DiffCommandTest : public testing::Test {
 protected:
  void plan(const std::string& name, const std::string& rows) const {
    command.write(name + ".csv", "id,lower,upper,size,offset\n" + rows);
    ASSERT_EQ(command.run({"plan", name + ".csv", "-o", name + ".json"}).status, 0);
  }
  DiffCommandTest() {
    plan("old", "a,0,2,100,0\nb,1,3,50,100\nc,2,4,80,0\nd,3,5,10,100\n");
    plan("new", "a,0,2,100,64\nb,1,3,60,200\nc,2,4,40,0\ne,0,1,8,0\n");
  }

  CommandLine command;
};

TEST_F(DiffCommandTest, SaysWhatIsLargerNewSmallerGoneAndMoved) {
  const Ran ran = command.run({"diff", "old.json", "new.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out,
            "arena  150 B -> 260 B  (+110)\n"
            "  larger   b  50 B -> 60 B, at 100 -> 200\n"
            "  new      e  8 B at 0 of arena, live [0, 1)\n"
            "  smaller  c  80 B -> 40 B\n"
            "  gone     d  10 B at 100 of arena, live [3, 5)\n"
            "  moved    a  at 0 -> 64\n");
}

TEST_F(DiffCommandTest, APlanDoesNotDifferFromItself) {
  const Ran ran = command.run({"diff", "old.json", "old.json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "the plans place every buffer alike\n");
}

TEST_F(DiffCommandTest, LivesAloneAreADifferenceToo) {
  plan("later", "a,0,2,100,0\nb,1,3,50,100\nc,2,4,80,0\nd,3,6,10,100\n");
  const Ran ran = command.run({"diff", "old.json", "later.json", "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find(R"({"change": "lives", "name": "d")"), std::string::npos) << ran.out;
}

TEST_F(DiffCommandTest, WhatIsNoPlanIsRefused) {
  EXPECT_EQ(command.run({"diff", "old.csv", "new.json"}).status, 3);
  EXPECT_EQ(command.run({"diff", "old.json", "missing.json"}).status, 3);
}

TEST_F(DiffCommandTest, ABudgetIsKeptToTheByte) {
  EXPECT_EQ(command.run({"plan", "new.csv", "--budget", "260"}).status, 0);
  const Ran over = command.run({"plan", "new.csv", "--budget", "arena=259", "-o", "o.json"});
  EXPECT_EQ(over.status, 1);
  EXPECT_NE(over.err.find("arena has 260 bytes, its budget is 259"), std::string::npos);
  EXPECT_NE(command.read("o.json"), "(no such file)");
  EXPECT_EQ(command.run({"plan", "new.csv", "--budget", "GPU=1"}).status, 2);
  EXPECT_EQ(command.run({"plan", "new.csv", "--budget", "many"}).status, 2);
}

TEST_F(DiffCommandTest, ABaselineIsABudgetWhereThereIsNone) {
  const Ran grown = command.run({"plan", "new.csv", "--baseline", "old.json", "--markdown"});
  EXPECT_EQ(grown.status, 1);
  EXPECT_EQ(grown.out,
            "| arena | before | now | change | budget | |\n"
            "|---|--:|--:|--:|--:|---|\n"
            "| arena | 150 | 260 | +110 |  | **over** |\n"
            "\n"
            "| buffer | | before | now |\n"
            "|---|---|--:|--:|\n"
            "| b | larger | 50 | 60 |\n"
            "| e | new |  | 8 |\n");
  EXPECT_EQ(command.run({"plan", "old.csv", "--baseline", "new.json"}).status, 0);
  EXPECT_EQ(command.run({"plan", "new.csv", "--baseline", "old.json", "--budget", "1KiB"}).status,
            0);
}

}  // namespace
}  // namespace berth
