#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/command.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

constexpr const char* kTable = "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,50,100\n";
constexpr const char* kPlanes =
    R"({"format": "berth.planes/1", "alignment": 4, "windows": [{"address": 4096, "bytes": 64}],
        "phases": [{"phase": "p", "planes": [{"name": "q", "address": 4096, "bytes": 64}]}]})";
constexpr const char* kLaunches =
    R"({"format": "berth.launches/1", "table": [{"phase": "p", "words": [4096]}],
        "submissions": [{"first": 0, "count": 1}]})";
constexpr const char* kProgram =
    R"({"format": "berth.program/1", "name": "n",
        "tensors": [{"name": "x", "kind": "input", "bytes": 4}],
        "phases": [{"name": "p", "body": [{"read": "x", "bytes": 4}]}]})";
constexpr const char* kTarget =
    "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 64\n";

class StreamsTest : public testing::Test {
 protected:
  StreamsTest() {
    command.write("t.csv", kTable);
    command.write("planes.json", kPlanes);
    command.write("launches.json", kLaunches);
    command.write("program.json", kProgram);
    command.write("target.toml", kTarget);
    EXPECT_EQ(command.run({"plan", "t.csv", "-q", "-o", "p.json"}).status, 0);
    EXPECT_EQ(::mkfifo(command.directory().file("pipe.json").c_str(), 0600), 0);
  }

  Ran shell(const std::string& line) const {
    return command.run_program(
        "/bin/sh", {"-c", "PATH=/bin:/usr/bin; B='" BERTH_COMMAND "'; " + line}, "", {});
  }

  CommandLine command;
};

TEST_F(StreamsTest, AResultThatStandardOutputDoesNotTakeIsAFailure) {
  for (const char* words :
       {"plan t.csv", "plan t.csv --json", "plan t.csv -o -", "show p.json", "diff p.json p.json",
        "explain t.csv", "check p.json", "certify planes.json launches.json --json",
        "reside program.json --target target.toml", "convert p.json q.json --json", "--help",
        "--version"}) {
    ASSERT_EQ(shell("$B " + std::string(words)).status, 0) << words;
    const Ran ran = shell("$B " + std::string(words) + " >/dev/full");
    EXPECT_EQ(ran.status, 3) << words;
    EXPECT_NE(ran.err.find("standard output: cannot write"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("No space left on device"), std::string::npos) << ran.err;
  }
}

TEST_F(StreamsTest, NothingIsAskedOfAStandardOutputThatGetsNothing) {
  EXPECT_EQ(shell("$B plan t.csv --quiet >/dev/full").status, 0);
  EXPECT_EQ(shell("$B plan t.csv --quiet >&-").status, 0);
  EXPECT_EQ(shell("$B plan t.csv >&-").status, 3);
  // The answer is a failure already, and its text stands on standard error.
  EXPECT_EQ(shell("$B plan none.csv --json >/dev/full").status, 3);
  EXPECT_EQ(shell("$B plan t.csv --no-such --json >/dev/full").status, 2);
}

TEST_F(StreamsTest, AReaderThatHasGoneAwayIsNoFailure) {
  EXPECT_EQ(shell("(trap '' PIPE; $B plan t.csv --json; echo $? >status) | true").err, "");
  EXPECT_EQ(command.read("status"), "0\n");
}

TEST_F(StreamsTest, APipeWithoutAReaderIsWaitedForUntilASignal) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    // 124: ended by that signal; 137: that it had to be killed.
    const Ran ran =
        shell(std::string("timeout -k 10 -s ") + signal + " 0.5 $B plan t.csv -o pipe.json");
    EXPECT_EQ(ran.status, 124) << signal;
  }
}

TEST_F(StreamsTest, APipeWithAReaderGetsThePlan) {
  const Ran ran = shell("cat pipe.json >got & $B plan t.csv -q -o pipe.json && wait");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(command.read("got"), command.read("p.json"));
  EXPECT_TRUE(shell("ln -s /dev/stdout out.json; $B plan t.csv -q -o out.json | cat")
                  .out.starts_with("{\"format\": \"berth.plan/1\""));
}

}  // namespace
}  // namespace berth
