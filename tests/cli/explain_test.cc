#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "tests/support/command.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

TEST(ExplainCommand, SaysWhoIsAtThePeakAndWhatLowersIt) {
  CommandLine command;
  // At step 1 all three are live; without b 110 are, with half of a 100.
  command.write("t.csv", "id,lower,upper,size\na,0,2,100\nb,1,3,40\nc,1,2,10\n");
  const Ran ran = command.run({"explain", "t.csv"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(
      ran.out,
      "arena: 150 B, proved least, 150 B live at step 1\n"
      "  a  100 B   66.7 %  born at step 0, last read at step 1\n"
      "  b   40 B   26.7 %  born at step 1, last read at step 2\n"
      "  c   10 B    6.7 %  born at step 1, last read at step 1\n"
      "what single changes win, each planned anew (6 of 6 win):\n"
      "  -100 B  to  50 B  keep a elsewhere, such as a tier down; then most is live at step 1\n"
      "   -50 B  to 100 B  split a along its rows, half of it live at a time; then most is live at "
      "step 1\n"
      "   -40 B  to 110 B  keep b elsewhere, such as a tier down; then most is live at step 1\n"
      "   -20 B  to 130 B  split b along its rows, half of it live at a time; then most is live at "
      "step 1\n"
      "   -10 B  to 140 B  keep c elsewhere, such as a tier down; then most is live at step 1\n"
      "    -5 B  to 145 B  split c along its rows, half of it live at a time; then most is live at "
      "step 1\n");
}

// x is read first and last; in between a and b are larger than anything else.
TEST(ExplainCommand, OfAModelItLetsGoWhatIsIdleAndComputesInPlace) {
  CommandLine command;
  const testing::TestGraph graph = {
      .tensors = {testing::sized("x", 64), testing::sized("a", 160), testing::sized("b", 160),
                  testing::sized("c", 64), testing::sized("y", 64)},
      .inputs = {0},
      .outputs = {4},
      .ops = {{testing::kConv2d, {0}, {1}},
              {testing::kRelu, {1}, {2}},
              {testing::kConv2d, {2}, {3}},
              {testing::kAdd, {3, 0}, {4}}}};
  command.write("m.tflite", testing::tflite_bytes(graph));
  const Ran ran = command.run({"explain", "m.tflite", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(JsonDocument::parse(ran.out, "out").has_value()) << ran.out;
  // 64 + 160 + 160 at the RELU; in place the next step needs 64 + 160 + 64; with x away 160 + 160.
  EXPECT_NE(ran.out.find("\"bytes\": 384"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("(--in-place)\", \"bytes\": 288"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(R"("what": "let x go after step 0 and load or compute it again for )"
                         R"(step 3", "bytes": 320, "saved": 64)"),
            std::string::npos)
      << ran.out;
}

// Two steps are nearly as full: what takes bytes from the first leaves the second.
TEST(ExplainCommand, AGoalIsReachedByChangesOneAfterAnother) {
  CommandLine command;
  command.write("t.csv", "id,lower,upper,size\na,0,2,100\nb,0,2,40\nc,4,6,90\nd,4,6,40\n");
  const Ran within = command.run({"explain", "t.csv", "--goal", "140"});
  EXPECT_EQ(within.status, 0);
  EXPECT_TRUE(within.out.ends_with("it is within the 140 B asked for\n")) << within.out;
  const Ran ran = command.run({"explain", "t.csv", "--capacity", "160", "--reserve", "40"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.out.ends_with(
      "towards the 120 B asked for, one change after another:\n"
      "  1. split b along its rows, half of it live at a time: -10 B, to 130 B; then most is live "
      "at step 4\n"
      "  2. split d along its rows, half of it live at a time: -10 B, to 120 B; then most is live "
      "at step 0\n"
      "reached with 2 changes\n"))
      << ran.out;
  const Ran json = command.run({"explain", "t.csv", "--goal", "1", "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.out.find("\"goal\": 1, \"reached\": false"), std::string::npos) << json.out;
  EXPECT_TRUE(JsonDocument::parse(json.out, "out").has_value()) << json.out;
  EXPECT_EQ(command.run({"explain", "t.csv", "--goal", "NPU=4"}).status, 2);
}

TEST(ExplainCommand, BadInputIsRefused) {
  CommandLine command;
  EXPECT_EQ(command.run({"explain", "nowhere.csv"}).status, 3);
  command.write("empty.csv", "id,lower,upper,size\n");
  EXPECT_EQ(command.run({"explain", "empty.csv"}).status, 0);
  EXPECT_EQ(command.run({"explain"}).status, 2);
}

}  // namespace
}  // namespace berth
