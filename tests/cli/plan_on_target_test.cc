#include <gtest/gtest.h>

#include "tests/support/command.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

const std::string kTarget =
    "name='t'\nany_site_reaches_any=true\n[[chip]]\ndram_bytes=1000\n[[chip.sites]]\nbytes=";

// x -> a -> b -> y, and a weight.
std::string model() {
  using namespace testing;  // NOLINT: the small language of these tests
  return tflite_bytes(
      TestGraph{.tensors = {sized("x", 64), sized("a", 64), sized("b", 64), sized("y", 64),
                            constant("w", 64)},
                .inputs = {0},
                .outputs = {3},
                .ops = {{kAdd, {0, 4}, {1}}, {kRelu, {1}, {2}}, {kRelu, {2}, {3}}}});
}

class PlanTarget : public ::testing::Test {
 protected:
  PlanTarget() {
    command_.write("m.tflite", model());
    command_.write("large.toml", kTarget + "128\n");
    command_.write("small.toml", kTarget + "127\n");
  }

  Ran plan(const std::string& target, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"plan", "m.tflite", "--target", target};
    words.insert(words.end(), more.begin(), more.end());
    return command_.run(words);
  }

  CommandLine command_;
};

TEST_F(PlanTarget, TellsEachMemoryWhatLeftAndTheVerdict) {
  const Ran large = plan("large.toml");
  EXPECT_EQ(large.status, 0) << large.err;
  EXPECT_EQ(large.out.find("left the SRAM"), std::string::npos) << large.out;
  EXPECT_NE(large.out.find("verdict 0: certified, 3 launches"), std::string::npos) << large.out;
  const Ran small = plan("small.toml");
  EXPECT_EQ(small.status, 0) << small.err;
  EXPECT_NE(small.out.find("pushed out at phase 1, 1 bytes short"), std::string::npos) << small.out;
  EXPECT_NE(small.out.find("off chip: 320 bytes a step"), std::string::npos) << small.out;
}

TEST_F(PlanTarget, WhatItWritesTheOtherCommandsAccept) {
  const Ran ran = plan("small.toml", {"-o", "p.json", "-o", "p.launches.json", "-o",
                                      "p.planes.json", "-o", "p.schedule.json", "-o", "p.html"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto status = [&](const std::vector<std::string>& words) {
    return command_.run(words).status;
  };
  EXPECT_EQ(status({"check", "p.json", "m.tflite", "--target", "small.toml"}), 0);
  EXPECT_EQ(status({"certify", "p.planes.json", "p.launches.json", "--strict"}), 0);
  EXPECT_EQ(status({"replay", "p.schedule.json"}), 0);
  EXPECT_EQ(status({"convert", "p.json", "q.json"}), 0);
  EXPECT_EQ(command_.read("q.json"), command_.read("p.json"));
  EXPECT_EQ(plan("small.toml", {"--json"}).out, command_.read("p.json"));
}

TEST_F(PlanTarget, ExitsAsTheAnswerIs) {
  command_.write("tiny.toml",
                 "name='t'\nany_site_reaches_any=true\n[[chip]]\ndram_bytes=100\n"
                 "[[chip.sites]]\nbytes=128\n");
  const Ran tiny = plan("tiny.toml", {"-o", "p.json"});
  EXPECT_EQ(tiny.status, 1);
  EXPECT_NE(tiny.err.find("chip0.dram must hold 192 bytes, and has 100: 92 short"),
            std::string::npos)
      << tiny.err;
  EXPECT_EQ(command_.read("p.json"), "(no such file)");
  EXPECT_EQ(plan("large.toml", {"--capacity", "5"}).status, 2);
  EXPECT_EQ(command_.run({"plan", "m.tflite", "--policy", "best"}).status, 2);
  EXPECT_EQ(plan("m.tflite").status, 3);
  EXPECT_EQ(plan("large.toml", {"-o", "placed.tflite"}).status, 2);
}

}  // namespace
}  // namespace berth
