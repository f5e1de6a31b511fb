#include <gtest/gtest.h>

#include <string>

#include "berth/formats/json.h"
#include "tests/support/command.h"

namespace berth {
namespace {

// c0 writes a, c1 writes b, c2 reads a.
constexpr const char* kSchedule = R"({"format": "berth.schedule/1", "ops": [
  {"op": "buffer", "slot": 0, "dtype": "float32", "size": 64, "device": "GPU", "name": "a"},
  {"op": "buffer", "slot": 1, "dtype": "int8", "size": 100, "device": "GPU", "name": "b"},
  {"op": "kernel", "name": "k"},
  {"op": "call", "src": [2, 0], "access": "w"},
  {"op": "call", "src": [2, 1], "access": "w"},
  {"op": "call", "src": [2, 0], "access": "r"},
  {"op": "linear", "src": [3, 4, 5]}], "root": 6})";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Files {
  Files() {
    command.write("s.schedule.json", kSchedule);
    EXPECT_EQ(
        command.run({"plan", "s.schedule.json", "--packer", "tlsf", "-o", "out.schedule.json"})
            .status,
        0);
  }
  // b moves onto a.
  void damage() const {
    const std::string rewritten = command.read("out.schedule.json");
    command.write("out.schedule.json",
                  with(rewritten, R"("begin": 256, "end": 356)", R"("begin": 0, "end": 100)"));
  }

  test::CommandLine command;
};

TEST(ReplayCommand, SaysYesWhereEveryReadFindsItsValue) {
  const Files files;
  const auto ran = files.command.run({"replay", "out.schedule.json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "every read finds what was written to it\n3 calls run, 1 reads checked\n");
  EXPECT_EQ(files.command.run({"replay", "out.schedule.json", "s.schedule.json"}).out, ran.out);
  EXPECT_EQ(files.command.run({"replay", "s.schedule.json"}).status, 0);
}

TEST(ReplayCommand, NamesTheReadTheBytesAndWhoTookThem) {
  const Files files;
  files.damage();
  const auto ran = files.command.run({"replay", "out.schedule.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out,
            "wrong read: step 2 (k), argument 0 reads bytes [0, 100) of slice [0, 256) of slot 2 "
            "in bytes [0, 100) of slot 2 on GPU\n"
            "  written by step 0 (k), argument 0\n"
            "  overwritten by step 1 (k), argument 0: bytes [0, 100) of slice [0, 100) of slot 2\n"
            "3 calls run, 1 reads checked\n");
  const auto json = files.command.run({"replay", "out.schedule.json", "s.schedule.json", "--json"});
  EXPECT_EQ(json.status, 1);
  const auto document = JsonDocument::parse(json.out, "out.json");
  ASSERT_TRUE(document) << json.out;
  for (const auto& [path, value] :
       {std::pair("sound", "false"), std::pair("fault.buffer", "\"a\""),
        std::pair("fault.byte", "0"), std::pair("fault.bytes", "100"),
        std::pair("fault.read.step", "2"), std::pair("fault.written.step", "0"),
        std::pair("fault.overwritten.buffer", "\"b\""), std::pair("fault.overwritten.step", "1")}) {
    EXPECT_EQ(value_at(document->root(), path).text(), value) << path;
  }
}

TEST(ReplayCommand, RefusesWhatIsNoRewritingOfTheOriginal) {
  const Files files;
  files.command.write("other.json", with(kSchedule, R"("access": "r")", R"("access": "w")"));
  const auto ran = files.command.run({"replay", "out.schedule.json", "other.json"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("out.schedule.json: entry 2"), std::string::npos) << ran.err;
  EXPECT_EQ(files.command.run({"replay", "-", "-"}).status, 2);
}

}  // namespace
}  // namespace berth
