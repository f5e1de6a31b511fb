#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "tests/support/command.h"
#include "tests/testing/onnx_model.h"
#include "tests/testing/published_models.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

std::string model() {
  return testing::onnx_bytes([](testing::GraphWriter& g) {
    g.input("x", {"batch", 64});
    g.input("w", {64, "n"});
    g.node("MatMul", {"x", "w"}, {"y"});
    g.output("y");
  });
}

TEST(OnnxCommand, SizesThatAreOpenAreBadInputWithTheFlagsToAdd) {
  CommandLine command;
  command.write("m.onnx", model());
  const Ran ran = command.run({"plan", "m.onnx"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.err,
            "berth: error: m.onnx: leaves sizes open: batch, n\n"
            "       add --bind batch=N --bind n=N\n");
}

TEST(OnnxCommand, APlaceholderIsNoAnswer) {
  CommandLine command;
  command.write("m.onnx", model());
  EXPECT_EQ(command.run({"plan", "m.onnx", "--bind", "batch=N"}).err,
            "berth: error: --bind: found 'N', which stands for a size that is to be said\n"
            "       write a number in its place\n");
  EXPECT_EQ(command.run({"plan", "m.onnx", "--shape", "y=DIMS:TYPE"}).err,
            "berth: error: --shape: found 'DIMS:TYPE', which stands for sizes and a type that are "
            "to be said\n"
            "       write them in its place, such as 1x64:float32\n");
  EXPECT_EQ(command.run({"plan", "m.onnx", "--shape", "y=1xN"}).err,
            "berth: error: --shape: found '1xN', which stands for sizes that are to be said\n"
            "       write them in its place, such as 1x64\n");
}

TEST(OnnxCommand, APlanIsWrittenAndCheckedAgainstTheSameSizes) {
  CommandLine command;
  command.write("m.onnx", model());
  const std::vector<std::string> sizes = {"--bind", "batch=1..4", "--bind", "n=8"};
  std::vector<std::string> plan = {"plan", "m.onnx", "-o", "p.json", "-o", "p.html", "-o", "p.h"};
  plan.insert(plan.end(), sizes.begin(), sizes.end());
  const Ran planned = command.run(plan);
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.err.find("planned at the upper bound: batch=4 (of 1..4)"), std::string::npos);
  std::vector<std::string> check = {"check", "p.json", "m.onnx"};
  check.insert(check.end(), sizes.begin(), sizes.end());
  EXPECT_EQ(command.run(check).status, 0);
  check[4] = "batch=5";
  const Ran stale = command.run(check);
  EXPECT_EQ(stale.status, 1);
  EXPECT_NE((stale.out + stale.err).find("buffer x has 1280 bytes in the input, 1024 in the plan"),
            std::string::npos)
      << stale.out << stale.err;
  EXPECT_EQ(command.run({"show", "p.json"}).status, 0);
}

// Each size in the range has room in a plan for its upper end.
TEST(OnnxCommand, APlanForARangeIsOneForEachSizeInIt) {
  CommandLine command;
  command.write("m.onnx", model());
  EXPECT_EQ(command.run({"plan", "m.onnx", "--bind", "batch=2..4", "--bind", "n=8", "-o", "p.json"})
                .status,
            0);
  const auto status = [&](const std::string& batch) {
    return command.run({"check", "p.json", "m.onnx", "--bind", "batch=" + batch}).status;
  };
  EXPECT_EQ(command.run({"check", "p.json", "m.onnx"}).status, 0);
  for (const char* inside : {"2", "3", "4", "2..3"}) EXPECT_EQ(status(inside), 0) << inside;
  for (const char* outside : {"1", "5", "1..4", "3..5"}) EXPECT_EQ(status(outside), 1) << outside;
  const Ran ran = command.run({"check", "p.json", "m.onnx", "--bind", "batch=5"});
  EXPECT_NE(ran.err.find("was made with --bind batch=2..4, which 5 is not in"), std::string::npos)
      << ran.err;
}

TEST(OnnxCommand, TheBaselineSaysTheSizesThatAreNotGiven) {
  CommandLine command;
  command.write("m.onnx", model());
  EXPECT_EQ(
      command.run({"plan", "m.onnx", "--bind", "batch=4", "--bind", "n=8", "-o", "p.json"}).status,
      0);
  const Ran same = command.run({"plan", "m.onnx", "--baseline", "p.json"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.err.find("asked otherwise"), std::string::npos) << same.err;
  const Ran other = command.run({"plan", "m.onnx", "--baseline", "p.json", "--bind", "batch=2"});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.err.find("asked otherwise: --bind batch=4 before, not now"), std::string::npos)
      << other.err;
}

TEST(OnnxCommand, OptionsThatSayNothingAreRefused) {
  CommandLine command;
  command.write("m.onnx", model());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--bind", "batch"},
        {"--bind", "batch=x"},
        {"--bind", "batch=4..2"},
        {"--bind", "other=1"},
        {"--shape", "y=1x"},
        {"--shape", "y=2:float31"},
        {"--state", "x"},
        {"--state", "x=nothing", "--bind", "batch=1", "--bind", "n=1"}}) {
    std::vector<std::string> plan = {"plan", "m.onnx"};
    plan.insert(plan.end(), words.begin(), words.end());
    EXPECT_EQ(command.run(plan).status, 2) << words.back();
  }
}

TEST(OnnxCommand, EveryPublishedModelPlansAsThePageSays) {
  const auto rows = testing::published_models();
  EXPECT_EQ(rows.size(), 31U);
  if (!std::filesystem::exists(testing::shared_data("models"))) GTEST_SKIP() << "no model data";
  CommandLine command;
  for (const auto& row : rows) {
    std::vector<std::string> words = {
        "plan", testing::shared_data("models/" + row[0] + ".onnx").string(), "--json"};
    std::istringstream flags(row[1]);
    for (std::string word; flags >> word;) words.push_back(word);
    const Ran ran = command.run(words);
    ASSERT_EQ(ran.status, 0) << row[0] << ran.err;
    const auto document = JsonDocument::parse(ran.out, "plan");
    ASSERT_TRUE(document);
    const auto plan = read_plan(*document);
    ASSERT_TRUE(plan) << to_string(plan.error());
    const ArenaFigures& figures = plan->arenas.at(0).figures;
    EXPECT_EQ(plan->step_names.size(), std::stoull(row[2])) << row[0];
    EXPECT_EQ(plan->buffers.size(), std::stoull(row[3])) << row[0];
    EXPECT_EQ(figures.max_load, Bytes(std::stoull(row[5]))) << row[0];
    EXPECT_EQ(figures.peak, Bytes(std::stoull(row[6]))) << row[0];
  }
}

}  // namespace
}  // namespace berth
