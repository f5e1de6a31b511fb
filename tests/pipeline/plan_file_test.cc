#include "berth/pipeline/plan_file.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "berth/certify/placement.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/schedule.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/outputs.h"
#include "tests/support/schedules.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

PlannedFile planned(const std::string& text, const PlanOptions& options = {}) {
  return std::get<PlannedFile>(plan_file({"in", text}, options).value());
}

std::string content(const PlannedFile& file, const std::string& path) {
  return output_forms({}, file, std::array{path}).value()[0].content;
}

std::map<std::string, Offset> offsets(const Plan& plan) {
  std::map<std::string, Offset> offsets;
  for (const PlannedBuffer& buffer : plan.buffers) offsets.emplace(buffer.name, buffer.offset);
  return offsets;
}

// Each form of the answer leads back to the same places.
TEST(PlanFile, AnyScheduleIsPlannedCheckedAndWrittenInEachForm) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 100; ++round) {
    const std::string text = write_schedule(test::random_schedule(random));
    const PlannedFile file = planned(text);
    ASSERT_TRUE(check_placement(file.plan).sound()) << text;
    const auto as_plan = check_file({"p.json", content(file, "p.json")}, InputFile{"in", text}, {});
    ASSERT_TRUE(as_plan) << to_string(as_plan.error());
    EXPECT_TRUE(as_plan->sound()) << as_plan->mismatch.value_or("");
    const auto as_table = check_file({"p.csv", content(file, "p.csv")}, {}, {});
    ASSERT_TRUE(as_table) << to_string(as_table.error());
    EXPECT_TRUE(as_table->sound());
    EXPECT_EQ(offsets(as_table->plan), offsets(file.plan));
  }
}

TEST(PlanFile, EachPackerKeepsTheFormOfTheRewrittenSchedule) {
  test::Draft draft;
  const OpId a = draft.buffer("a", 100), b = draft.buffer("b", 100);
  const std::string text =
      write_schedule(draft.schedule({draft.call("c0", {a}), draft.call("c1", {a, b})}));
  PlanOptions tlsf;
  tlsf.pack.packer = "tlsf";
  EXPECT_EQ(content(planned(text), "o.schedule.json").size(),
            content(planned(text, tlsf), "o.schedule.json").size());
}

TEST(PlanFile, ArenasFollowOneAnotherOnPages) {
  const Plan plan = planned("id,lower,upper,size,device\na,0,1,5000,A\nb,0,1,1,B\n").plan;
  EXPECT_EQ(plan.arenas[0].address, Address(0x10000000));
  EXPECT_EQ(plan.arenas[1].address, Address(0x10002000));
}

TEST(PlanFile, TwoFixedPlacesThatMeetFitNowhere) {
  const auto answer =
      plan_file({"in", "id,lower,upper,size,offset\na,0,2,256,0\nc,1,2,256,128\n"}, {}).value();
  ASSERT_TRUE(std::holds_alternative<DoesNotFit>(answer));
  EXPECT_TRUE(std::get<DoesNotFit>(answer).proved);
  EXPECT_EQ(std::get<DoesNotFit>(answer).report.substr(0, 94),
            "does not fit: buffers a (fixed at 0) and c (fixed at 128) share bytes [128, 256) over "
            "steps [1");
}

TEST(PlanFile, AFixedPlaceOffItsAlignmentFitsNowhere) {
  const auto answer =
      plan_file({"in", "id,lower,upper,size,alignment,offset\na,0,2,8,16,8\n"}, {}).value();
  ASSERT_TRUE(std::holds_alternative<DoesNotFit>(answer));
  EXPECT_NE(std::get<DoesNotFit>(answer).report.find("no multiple of 16"), std::string::npos);
}

TEST(CheckFile, ScratchIsRecordedInThePlanAndTold) {
  const InputFile table{"in", "id,lower,upper,size\na,0,2,100\n"};
  PlanOptions options;
  options.scratch = {{"1", Bytes(10)}};
  const InputFile plan{"p.json", content(planned(table.content, options), "p.json")};
  EXPECT_TRUE(check_file(plan, table, options).value().by_plan_alone.empty());
  const CheckedFile checked = check_file(plan, table, {}).value();
  EXPECT_TRUE(checked.sound());
  EXPECT_EQ(checked.by_plan_alone, (std::vector<std::string>{"--scratch 1=10"}));
  options.scratch = {{"1", Bytes(11)}};
  EXPECT_FALSE(check_file(plan, table, options).value().sound());
}

TEST(PlanFile, AModelWithItsPlanInsideIsSound) {
  const testing::TestGraph graph = {
      .tensors = {testing::sized("a", 40), testing::sized("b", 90), testing::sized("c", 20)},
      .inputs = {0},
      .outputs = {2},
      .ops = {{testing::kRelu, {0}, {1}}, {testing::kRelu, {1}, {2}}}};
  const InputFile model{"m.tflite", testing::tflite_bytes(graph)};
  const auto answer = plan_file(model, {}).value();
  const auto files =
      output_forms(model, std::get<PlannedFile>(answer), std::array<std::string, 1>{"o.tflite"});
  ASSERT_TRUE(files.has_value()) << to_string(files.error());
  const auto checked = check_file({"o.tflite", (*files)[0].content}, {}, {});
  ASSERT_TRUE(checked.has_value()) << to_string(checked.error());
  EXPECT_TRUE(checked->sound());
  EXPECT_EQ(checked->plan.buffers.size(), 3U);
  EXPECT_EQ(offsets(checked->plan), offsets(std::get<PlannedFile>(answer).plan));
}

TEST(PlanFile, AProgramIsPlannedAsItsSizesSayWithItsLoopsAndScratch) {
  const std::string text = R"({"format": "berth.program/1", "name": "p",
 "tensors": [{"name": "x", "kind": "input", "bytes": 5},
             {"name": "h", "kind": "intermediate", "dims": [33, 65], "tile": [32, 32],
              "tile_bytes": 2048},
             {"name": "w", "kind": "weight", "bytes": 900},
             {"name": "y", "kind": "output", "bytes": 7}],
 "phases": [{"name": "a", "body": [{"read": "x", "bytes": 5}, {"write": "h", "bytes": 1}]},
            {"name": "b", "body": [{"read": "h", "bytes": 1}, {"read": "w", "bytes": 900}],
             "scratch": 100},
            {"name": "c", "body": [{"write": "y", "bytes": 7}]}],
 "loops": [{"first": 1, "last": 2, "bound": 3}]})";
  const PlannedFile file = planned(text);
  ASSERT_EQ(file.plan.buffers.size(), 4u);
  EXPECT_EQ(file.plan.buffers[1].bytes, Bytes(2 * 3 * 2048));
  EXPECT_EQ(file.plan.buffers[1].life, (LiveRange{0, 3}));
  EXPECT_EQ(file.plan.buffers[2].life, (LiveRange{1, 3}));
  EXPECT_EQ(file.plan.arenas[0].figures.peak, Bytes(12288 + 100 + 7));
  EXPECT_EQ(file.plan.kept.at(0).why, KeptWhy::Constant);
  const auto checked = check_file({"p.json", content(file, "p.json")}, InputFile{"in", text}, {});
  ASSERT_TRUE(checked) << to_string(checked.error());
  EXPECT_TRUE(checked->sound()) << checked->mismatch.value_or("");
}

}  // namespace
}  // namespace berth
