#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "tests/support/command.h"
#include "tests/testing/onnx_model.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

const std::string kTarget = "name='t'\nany_site_reaches_any=true\n[[chip]]\n[[chip.sites]]\nbytes=";
const std::string kClasses =
    R"({"format": "berth.deployment/1", "name": "d", "reserve": [0], "classes": [
  {"program": "m", "tensor": "a", "instances": 1, "bytes": 6, "moved": 12},
  {"program": "m", "tensor": "b", "instances": 1, "bytes": 5, "moved": 9},
  {"program": "m", "tensor": "c", "instances": 1, "bytes": 5, "moved": 9}]})";

std::uint64_t figure(const std::string& json, const char* name) {
  const auto document = JsonDocument::parse(json, "out").value();
  return document.root().field("off_chip_bytes_per_step")->field(name)->integer();
}

TEST(ResideCommand, PrintsTheRuleTheBestAndTheBound) {
  CommandLine command;
  command.write("d.json", kClasses);
  command.write("t.toml", kTarget + "10\n");
  const Ran json = command.run({"reside", "d.json", "--target", "t.toml", "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(figure(json.out, "rule"), 18u);
  EXPECT_EQ(figure(json.out, "best"), 12u);
  EXPECT_EQ(figure(json.out, "bound"), 12u);
  const Ran table = command.run({"reside", "d.json", "--target", "t.toml", "--policy", "best"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("proved: nothing moves less"), std::string::npos) << table.out;
  EXPECT_EQ(command.run({"reside", "-", "--target", "t.toml", "--json"}, kClasses).out, json.out);
}

TEST(ResideCommand, ExitsAsTheAnswerIs) {
  CommandLine command;
  command.write("d.json", kClasses);
  command.write("t.toml", kTarget + "10\n");
  command.write("full.toml", kTarget + "10\n");
  command.write("bad.toml", "name = 4\n");
  std::string reserved = kClasses;
  command.write("r.json", reserved.replace(reserved.find("[0]"), 3, "[11]"));
  const Ran no = command.run({"reside", "r.json", "--target", "t.toml"});
  EXPECT_EQ(no.status, 1);
  EXPECT_NE(no.out.find("11 bytes are reserved, of 10"), std::string::npos) << no.out;
  EXPECT_EQ(command.run({"reside", "d.json"}).status, 2);
  EXPECT_EQ(command.run({"reside", "d.json", "--target", "t.toml", "--policy", "x"}).status, 2);
  EXPECT_EQ(command.run({"reside", "d.json", "--target", "bad.toml"}).status, 3);
  EXPECT_EQ(command.run({"reside", "d.json", "--target", "none.toml"}).status, 3);
  EXPECT_EQ(command.run({"reside", "t.toml", "--target", "t.toml"}).status, 3);
}

TEST(ResideCommand, WritesWhatTheEndingsAskFor) {
  CommandLine command;
  command.write("d.json", kClasses);
  command.write("t.toml", kTarget + "10\n");
  const Ran ran = command.run({"reside", "d.json", "--target", "t.toml", "--json", "-o", "r.json",
                               "-o", "r.svg", "-o", "r.html"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(command.read("r.json"), ran.out);
  EXPECT_TRUE(command.read("r.svg").starts_with("<?xml"));
  EXPECT_TRUE(command.read("r.html").starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(command.run({"reside", "d.json", "--target", "t.toml", "-o", "r.png"}).status, 2);
}

TEST(ResideCommand, SweepsTheSram) {
  CommandLine command;
  command.write("d.json", kClasses);
  command.write("t.toml", kTarget + "10\n");
  const auto sweep = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"reside", "d.json", "--target", "t.toml", "--sweep"};
    words.insert(words.end(), more.begin(), more.end());
    return command.run(words);
  };
  const Ran all = sweep({"all", "-o", "s.csv", "-o", "s.svg", "-o", "s.json"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(command.read("s.csv"),
            "sram,rule,best,bound,feasible\n1,30,30,30,1\n5,21,21,21,1\n6,18,18,18,1\n"
            "10,18,12,12,1\n11,9,9,9,1\n16,0,0,0,1\n");
  EXPECT_EQ(sweep({"all", "--json"}).out, command.read("s.json"));
  EXPECT_EQ(sweep({"sram=2:1"}).status, 2);
  EXPECT_EQ(sweep({"sram=0:1"}).status, 2);
  EXPECT_EQ(sweep({"often"}).status, 2);
  EXPECT_EQ(sweep({"all", "-o", "s.txt"}).status, 2);
  EXPECT_EQ(sweep({"all", "--concurrent"}).status, 2);
  EXPECT_EQ(sweep({"sram=1KiB:0x800"}).status, 0);
}

// A tensor that is read again long after its first use, beside one that needs the room between.
constexpr const char* kComesBack = R"({"format": "berth.program/1", "name": "late",
 "tensors": [{"name": "a", "kind": "intermediate", "bytes": 40},
  {"name": "b", "kind": "intermediate", "bytes": 40}],
 "phases": [
  {"name": "p0", "body": [{"write": "a", "bytes": 40}]},
  {"name": "p1", "body": [{"read": "a", "bytes": 40}]},
  {"name": "p2", "body": [{"write": "b", "bytes": 40}]},
  {"name": "p3", "body": [{"read": "b", "bytes": 120}]},
  {"name": "p4", "body": [{"read": "a", "bytes": 40}]}]})";

TEST(ResideCommand, LetsATensorLeaveAndComeBack) {
  CommandLine command;
  command.write("p.json", kComesBack);
  command.write("t.toml", kTarget + "60\n");
  const Ran ran = command.run({"reside", "p.json", "--target", "t.toml", "--policy", "best",
                               "--intervals", "-o", "r.json", "-o", "r.svg"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("best   120  of whole lives"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("best    80  of stretches of lives"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("phase 2 (p2), 20 bytes short"), std::string::npos) << ran.out;
  EXPECT_NE(command.read("r.json").find("\"in_sram\": [[0, 2]]"), std::string::npos);
  EXPECT_NE(command.read("r.json").find("\"phases\": [0, 2]"), std::string::npos);
  EXPECT_NE(command.read("r.svg").find("phases 2 to 4, off chip"), std::string::npos);
  EXPECT_EQ(command.run({"check", "r.json", "p.json", "--target", "t.toml"}).status, 0);
  std::string text = command.read("r.json");
  EXPECT_EQ(command.run({"check", "-"}, text.replace(text.find("[[0, 2]]"), 8, "[[2, 0]]")).status,
            3);
  text = command.read("r.json");
  EXPECT_EQ(
      command.run({"check", "-"}, text.replace(text.find("\"turns\": [5"), 11, "\"turns\": [9"))
          .status,
      3);
  const Ran sweep = command.run(
      {"reside", "p.json", "--target", "t.toml", "--intervals", "--sweep", "sram=40:80"});
  EXPECT_NE(sweep.out.find("40          120    80     80"), std::string::npos) << sweep.out;
}

class ResidencyCheck : public ::testing::Test {
 protected:
  ResidencyCheck() {
    command.write("d.json", kClasses);
    command.write("t.toml", kTarget + "10\n");
    const Ran ran =
        command.run({"reside", "d.json", "--target", "t.toml", "--policy", "best", "--json"});
    residency = ran.out;
    command.write("r.json", residency);
  }

  // What check says of the residency with its first `from` replaced.
  Ran damaged(const std::string& from, const std::string& to) const {
    std::string text = residency;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    return command.run({"check", "-"}, text.replace(at, from.size(), to));
  }

  CommandLine command;
  std::string residency;
};

TEST_F(ResidencyCheck, OneOfOursIsSoundAndItsInputs) {
  EXPECT_EQ(command.run({"check", "r.json"}).status, 0);
  const Ran ran = command.run({"check", "r.json", "d.json", "--target", "t.toml"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("less than 12 bytes"), std::string::npos) << ran.out;
  command.write("u.toml", kTarget + "11\n");
  EXPECT_EQ(command.run({"check", "r.json", "d.json", "--target", "u.toml"}).status, 1);
  EXPECT_EQ(command.run({"check", "r.json", "d.json"}).status, 2);
}

TEST_F(ResidencyCheck, ADamagedOneIsNot) {
  EXPECT_EQ(damaged("\"bound\": 12", "\"bound\": 13").status, 1);
  EXPECT_EQ(damaged("\"bound\": 12", "\"bound\": 11").status, 0);
  EXPECT_EQ(damaged("\"best\": 12", "\"best\": 11").status, 1);
  EXPECT_EQ(damaged("\"states\": 10", "\"states\": 9").status, 1);
  EXPECT_EQ(damaged("\"kept\": [0, 1, 1]", "\"kept\": [1, 1, 0]").status, 1);
  EXPECT_EQ(damaged("\"kept\": [0, 1, 1]", "\"kept\": [1, 0, 0]").status, 1);
  EXPECT_EQ(
      damaged("\"moved\": 12, \"tier\": \"dram\"", "\"moved\": 12, \"tier\": \"sram\"").status, 1);
  EXPECT_EQ(damaged("\"kept\": [0, 1, 1]", "\"kept\": [0, 1]").status, 3);
  EXPECT_EQ(damaged("\"end\": 1", "\"end\": 2").status, 3);
  EXPECT_EQ(damaged("\"tier\": \"dram\"", "\"tier\": \"tape\"").status, 3);
}

TEST(ResideCommand, TakesAModelWithTheSizesThatItLeavesOpen) {
  CommandLine command;
  command.write("t.toml", kTarget + "1000\n");
  command.write("m.onnx", testing::onnx_bytes([](testing::GraphWriter& g) {
                  g.input("x", {"n"});
                  g.node("Relu", {"x"}, {"a"});
                  g.node("Neg", {"a"}, {"b"});
                  g.node("Abs", {"b"}, {"y"});
                  g.output("y");
                }));
  EXPECT_EQ(command.run({"reside", "m.onnx", "--target", "t.toml"}).status, 3);
  const auto traffic = [&](const char* bind) {
    const Ran ran =
        command.run({"reside", "m.onnx", "--target", "t.toml", "--json", "--bind", bind});
    EXPECT_EQ(ran.status, 0) << ran.err;
    return figure(ran.out, "rule");
  };
  EXPECT_EQ(traffic("n=100"), 0u);
  EXPECT_EQ(traffic("n=200"), 1600u);  // a and b no longer fit together: one is written and read
  command.run({"reside", "m.onnx", "--target", "t.toml", "--bind", "n=200", "-o", "r.json"});
  EXPECT_EQ(
      command.run({"check", "r.json", "m.onnx", "--target", "t.toml", "--bind", "n=200"}).status,
      0);
  EXPECT_EQ(
      command.run({"check", "r.json", "m.onnx", "--target", "t.toml", "--bind", "n=100"}).status,
      1);
}

}  // namespace
}  // namespace berth
