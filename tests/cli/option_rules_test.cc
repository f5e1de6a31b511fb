#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "berth/formats/schedule.h"
#include "tests/support/command.h"
#include "tests/support/schedules.h"
#include "tests/testing/onnx_model.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;
using Words = std::vector<std::string>;

std::string onnx_model() {
  return testing::onnx_bytes([](testing::GraphWriter& g) {
    g.input("x", {"n", 4});
    g.node("Relu", {"x"}, {"y"});
    g.output("y");
  });
}

std::string schedule_text() {
  test::Draft draft;
  return write_schedule(draft.schedule({draft.call("k", {draft.buffer("x", 512)})}));
}

class OptionRules : public ::testing::Test {
 protected:
  OptionRules() {
    command.write("t.csv", "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,50,100\n");
    command.write("s.json", schedule_text());
    command.write("p.json", R"({"format": "berth.program/1", "name": "n",
        "tensors": [{"name": "x", "kind": "intermediate", "bytes": 4}],
        "phases": [{"name": "p", "body": [{"write": "x", "bytes": 4}]},
                   {"name": "q", "body": [{"read": "x", "bytes": 4}]}]})");
    command.write("m.tflite",
                  read_file(BERTH_ROOT "/fuzz/corpus/tflite/small.tflite").value_or(""));
    command.write("m.onnx", onnx_model());
    command.write("c.toml",
                  "name = \"c\"\nany_site_reaches_any = true\n[[chip]]\n"
                  "[[chip.sites]]\nbytes = 4096\n");
    EXPECT_EQ(command.run({"plan", "t.csv", "-q", "-o", "plan.json"}).status, 0);
  }

  Ran run(Words words, const Words& more) const {
    words.insert(words.end(), more.begin(), more.end());
    if (words[1] == "m.onnx" && more != kBind)
      words.insert(words.end(), kBind.begin(), kBind.end());
    return command.run(words);
  }
  void expect_refused(const Words& words, const Words& option) const {
    const Ran ran = run(words, option);
    EXPECT_EQ(ran.status, 2) << words[0] << ' ' << words[1] << ' ' << option[0];
    EXPECT_TRUE(ran.err.starts_with("berth: error: " + option[0] + ": ")) << ran.err;
    // A .tflite model takes these two, for what it has by such a name.
    const bool is_of_models = words[1] == "m.tflite" && (option == kBind || option[0] == "--shape");
    EXPECT_NE(ran.err.find(is_of_models ? "has no input" : "leave it out"), std::string::npos)
        << ran.err;
  }

  const Words kBind = {"--bind", "n=2"};
  CommandLine command;
};

TEST_F(OptionRules, AnOptionIsTakenByTheKindsItIsForAndRefusedByTheOthers) {
  const std::vector<std::pair<Words, std::set<std::string>>> rules = {
      {{"--bind", "n=2"}, {"m.onnx"}},          {{"--shape", "y=2x4"}, {"m.onnx"}},
      {{"--state", "x=y"}, {"m.onnx"}},         {{"--views"}, {"m.onnx", "m.tflite"}},
      {{"--in-place"}, {"m.onnx", "m.tflite"}}, {{"--reorder"}, {"m.onnx", "m.tflite", "p.json"}},
      {{"--offline-plan"}, {"m.tflite"}},       {{"--extents"}, {"s.json"}}};
  for (const auto& [option, kinds] : rules) {
    for (const char* file : {"t.csv", "s.json", "p.json", "m.tflite", "m.onnx"}) {
      if (kinds.contains(file)) {
        const Ran ran = run({"plan", file, "-q"}, option);
        EXPECT_EQ(ran.status, 0) << file << ' ' << option[0] << ran.err;
      } else {
        expect_refused({"plan", file, "-q"}, option);
      }
    }
  }
}

TEST_F(OptionRules, TheMessageSaysWhatTheOptionIsForAndWhatTheFileIs) {
  EXPECT_EQ(command.run({"plan", "t.csv", "--bind", "n=2"}).err,
            "berth: error: --bind: gives a size that an .onnx model leaves open, but t.csv is an "
            "instance table\n       leave it out\n");
}

TEST_F(OptionRules, OnATargetLaunchesSayTheirExtentsAndThereIsNoReasonToWrite) {
  const Words plan = {"plan", "p.json", "-q", "--target", "c.toml"};
  EXPECT_EQ(run(plan, {"--extents"}).status, 0);
  EXPECT_EQ(run(plan, {"--alignment", "4"}).status, 0);
  expect_refused(plan, {"--reason", "why.json"});
  expect_refused(plan, {"--bind", "n=2"});
  expect_refused(plan, {"--reserve", "4"});
  expect_refused(plan, {"--capacity", "4"});
  expect_refused({"reside", "p.json", "-q", "--target", "c.toml"}, {"--views"});
}

TEST_F(OptionRules, APlanAloneIsJudgedAsItIs) {
  for (const char* command_name : {"check", "show"}) {
    expect_refused({command_name, "plan.json"}, {"--alignment", "64"});
    expect_refused({command_name, "plan.json"}, {"--scratch", "0=4"});
    expect_refused({command_name, "plan.json"}, {"--hold", "a"});
    EXPECT_EQ(run({command_name, "plan.json"}, {"--capacity", "150"}).status, 0);
    EXPECT_EQ(run({command_name, "t.csv"}, {"--alignment", "4"}).status, 0);
  }
  expect_refused({"check", "plan.json", "t.csv"}, {"--views"});
  EXPECT_EQ(run({"check", "plan.json", "t.csv"}, {"--alignment", "1"}).status, 0);
}

TEST_F(OptionRules, WhatAnExplanationDoesNotDependOnItDoesNotTake) {
  EXPECT_EQ(run({"explain", "s.json"}, {"--base", "GPU=4096"}).status, 2);
  EXPECT_EQ(run({"explain", "s.json"}, {"--extents"}).status, 2);
  // And so they are not among those that it names.
  const std::string help = command.run({"explain", "--help"}).out;
  EXPECT_EQ(help.find("--base"), std::string::npos) << help;
  EXPECT_EQ(help.find("--extents"), std::string::npos) << help;
  EXPECT_EQ(run({"explain", "t.csv"}, {"--alignment", "4"}).status, 0);
}

TEST_F(OptionRules, ANameIsGivenOneValue) {
  for (const Words& option : {Words{"--capacity", "5"},
                              {"--capacity", "CPU=5"},
                              {"--base", "CPU=1"},
                              {"--scratch", "0=5"},
                              {"--bind", "n=2"},
                              {"--shape", "y=2x4"},
                              {"--state", "x=y"},
                              {"--budget", "5"},
                              {"--budget", "arena=5"}}) {
    Words words = {"plan", "t.csv"};
    for (int i = 0; i < 2; ++i) words.insert(words.end(), option.begin(), option.end());
    const Ran ran = command.run(words);
    EXPECT_EQ(ran.status, 2) << option[0];
    EXPECT_NE(ran.err.find(option[0] + ": "), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("given twice"), std::string::npos) << ran.err;
  }
  // One for all devices beside one for a device of its own.
  EXPECT_EQ(command.run({"plan", "s.json", "--capacity", "5000", "--capacity", "GPU=6000"}).status,
            0);
}

TEST_F(OptionRules, ScratchIsOfAStepThatThereIs) {
  EXPECT_EQ(command.run({"plan", "t.csv", "--scratch", "2=5"}).status, 0);
  const Ran ran = command.run({"plan", "t.csv", "--scratch", "3=5"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "berth: error: --scratch: t.csv has no step '3'\n       give an operator's name as the "
            "table prints it, or a step's number below 3\n");
}

}  // namespace
}  // namespace berth
