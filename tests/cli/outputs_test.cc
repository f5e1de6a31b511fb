#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/command.h"

// Where answers go: names, links, pipes, devices, descriptors, and limits of the system.
namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

constexpr const char* kTable = "id,lower,upper,size\na,0,2,100\nb,1,3,50\n";

class Outputs : public testing::Test {
 protected:
  Outputs() { command.write("t.csv", kTable); }

  // By bash, which has >(...).
  Ran shell(const std::string& line) const {
    return command.run_program(
        "/bin/bash", {"-c", "PATH=/bin:/usr/bin; B='" BERTH_COMMAND "'; " + line}, "", {});
  }
  std::size_t file_count() const { return command.directory().names().size(); }

  CommandLine command;
};

TEST_F(Outputs, AStreamGetsThePlanOrTheFormThatIsAskedFor) {
  const std::string csv = "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,50,100\n";
  EXPECT_EQ(command.run({"plan", "t.csv", "-o", "/dev/null"}).status, 0);
  const Ran plan = command.run({"plan", "t.csv", "-o", "/dev/stdout"});
  EXPECT_TRUE(plan.out.starts_with("{\"format\": \"berth.plan/1\"")) << plan.out;
  EXPECT_EQ(plan.out.find("max load  "), std::string::npos) << "the table stands there too";
  for (const char* path : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(command.run({"plan", "t.csv", "-o", path, "--form", "csv"}).out, csv) << path;
    EXPECT_EQ(command.run({"plan", "t.csv", "-o", path, "--form", ".csv"}).out, csv) << path;
  }
  shell(
      "$B plan t.csv -q -o >(cat >got; touch done) --form csv; "
      "for i in $(seq 100); do [ -e done ] && break; sleep 0.05; done");
  EXPECT_EQ(command.read("got"), csv);
  EXPECT_EQ(command.run({"plan", "t.csv", "-q", "-o", "named", "--form", "csv"}).status, 0);
  EXPECT_EQ(command.read("named"), csv);
}

TEST_F(Outputs, AFormIsOneThatTheCommandWritesAndThatAnOutputNeeds) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    const Ran ran = command.run(std::move(words));
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.err.find(why), std::string::npos) << ran.err;
  };
  refused({"plan", "t.csv", "-o", "x"}, "no form of a plan has this ending");
  refused({"plan", "t.csv", "-o", "-", "--form", "pdf"}, "'pdf' is no form of a plan");
  refused({"plan", "t.csv", "-o", "x.json", "--form", "csv"}, "whose names do not say");
  refused({"plan", "t.csv", "--form", "csv"}, "-o -");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Outputs, OtherCommandsWriteToStreamsAlike) {
  ASSERT_EQ(command.run({"plan", "t.csv", "-q", "-o", "p.json"}).status, 0);
  EXPECT_TRUE(command.run({"show", "p.json", "-o", "-"}).out.starts_with("<?xml"));
  EXPECT_TRUE(command.run({"show", "p.json", "-o", "-", "--form", "html"}).out.starts_with("<!DO"));
  EXPECT_EQ(command.run({"convert", "p.json", "-"}).out, command.read("p.json"));
  EXPECT_TRUE(command.run({"convert", "p.json", "-", "--form", "h"}).out.starts_with("/* "));
}

TEST_F(Outputs, OneFileUnderTwoNamesIsRefused) {
  ASSERT_EQ(::symlink("t.json", command.directory().file("link.json").c_str()), 0);
  for (const char* other : {"./t.json", "link.json", "t.json"}) {
    const Ran ran = command.run({"plan", "t.csv", "-o", "t.json", "-o", other});
    EXPECT_EQ(ran.status, 2) << other;
    EXPECT_NE(ran.err.find("name each file once"), std::string::npos) << ran.err;
  }
}

TEST_F(Outputs, ALinkThatLeadsNowhereIsFollowedOrSaidToLeadThere) {
  ASSERT_EQ(::symlink("made.json", command.directory().file("a.json").c_str()), 0);
  ASSERT_EQ(::symlink("no/where.json", command.directory().file("b.json").c_str()), 0);
  EXPECT_EQ(command.run({"plan", "t.csv", "-q", "-o", "a.json"}).status, 0);
  EXPECT_TRUE(command.read("made.json").starts_with("{"));
  EXPECT_TRUE(std::filesystem::is_symlink(command.directory().file("a.json")));
  const Ran ran = command.run({"plan", "t.csv", "-q", "-o", "b.json"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("b.json, which leads to ./no/where.json"), std::string::npos) << ran.err;
}

TEST_F(Outputs, ALimitOnTheSizeOfFilesIsSaidAndLeavesNothing) {
  const Ran ran = shell("ulimit -f 8; $B plan t.csv -q -o map.html -o plan.json; echo $?");
  EXPECT_EQ(ran.out, "3\n");
  EXPECT_NE(ran.err.find("map.html: cannot write: File too large"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("ulimit -f"), std::string::npos) << ran.err;
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Outputs, ASmallStackIsEnough) {
  const Ran ran = shell("ulimit -s 64; $B plan t.csv -q -o p.json && $B check p.json t.csv -q");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Outputs, ABudgetThatIsNotKeptIsSaidEvenQuietly) {
  const Ran ran = command.run({"plan", "t.csv", "--budget", "10", "-q"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "berth: arena has 150 bytes, its budget is 10\n");
}

TEST_F(Outputs, WhatIsNoPlanIsSaidByItsKind) {
  ASSERT_EQ(command.run({"plan", "t.csv", "-q", "-o", "p.json"}).status, 0);
  const Ran ran = command.run({"diff", "p.json", "t.csv"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("t.csv: is an instance table, expected a plan (.json)"), std::string::npos)
      << ran.err;
  EXPECT_EQ(command.run({"plan", "t.csv", "--baseline", "t.csv"}).status, 3);
  EXPECT_EQ(command.run({"diff", "-", "-"}).status, 2);
}

TEST_F(Outputs, AGitLfsPointerIsSaidToBeOneForEveryKindOfInput) {
  command.write("m.tflite", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n");
  command.write("p.json", R"({"format": "berth.program/1", "name": "n",
      "tensors": [{"name": "x", "kind": "input", "bytes": 4}],
      "phases": [{"name": "p", "body": [{"read": "x", "bytes": 4}]}]})");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"plan", "m.tflite"},
                                             {"explain", "m.tflite"},
                                             {"check", "m.tflite"},
                                             {"check", "t.csv", "m.tflite"},
                                             {"show", "m.tflite"},
                                             {"diff", "m.tflite", "m.tflite"},
                                             {"replay", "m.tflite"},
                                             {"certify", "m.tflite", "m.tflite"},
                                             {"convert", "m.tflite", "x.json"},
                                             {"capture", "m.tflite"},
                                             {"reside", "p.json", "--target", "m.tflite"},
                                             {"plan", "p.json", "--target", "m.tflite"},
                                             {"plan", "t.csv", "--baseline", "m.tflite"}}) {
    const Ran ran = command.run(words);
    EXPECT_EQ(ran.status, 3) << words[0];
    EXPECT_NE(ran.err.find("is a Git LFS pointer"), std::string::npos) << words[0] << ran.err;
  }
}

// On a terminal, which `script` gives it.
TEST_F(Outputs, OnATerminalALineASecondSaysWhatIsDone) {
  if (::access("/usr/bin/script", X_OK) != 0) GTEST_SKIP() << "needs the program script";
  std::uint32_t state = 7;
  const auto draw = [&](std::uint32_t below) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  std::string rows = "id,lower,upper,size\n";
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t lower = draw(300);
    const std::uint32_t steps = 1 + draw(60);
    rows += "b" + std::to_string(i) + "," + std::to_string(lower) + "," +
            std::to_string(lower + steps) + "," + std::to_string(1 + draw(4000)) + "\n";
  }
  command.write("hard.csv", rows);
  const Ran ran =
      shell("script -qec \"$B plan hard.csv --effort 100000000000 --time-limit 3\" log");
  EXPECT_EQ(ran.status, 0);
  // A table that is solved at once has nothing to say for a second.
  EXPECT_EQ(ran.out.find("proved least"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(", 1 s"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(", 2 s"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace berth
