#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "tests/support/command.h"

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

}  // namespace
}  // namespace berth
