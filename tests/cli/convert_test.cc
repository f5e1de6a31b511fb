#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace berth {
namespace {

constexpr const char* kSchedule = R"({"format": "berth.schedule/1", "ops": [
  {"op": "buffer", "slot": 0, "dtype": "float32", "size": 64, "device": "GPU", "name": "a"},
  {"op": "kernel", "name": "k"},
  {"op": "call", "src": [1, 0], "access": "b"},
  {"op": "end", "src": [2], "count": 9},
  {"op": "linear", "src": [2, 3]}], "root": 4})";

struct Planned {
  Planned() {
    command.write("s.json", kSchedule);
    const auto ran = command.run({"plan", "s.json", "-o", "s.launches.json", "-o", "s.planes.json",
                                  "-o", "direct.launches.bin", "-o", "s.plan.json", "-o",
                                  "s.schedule.json", "-o", "s.h"});
    EXPECT_EQ(ran.status, 0) << ran.err;
  }
  test::CommandLine command;
};

TEST(ConvertCommand, TurnsLaunchesIntoTheirBinaryFormAndBack) {
  const Planned planned;
  const auto& command = planned.command;
  const auto ran = command.run({"convert", "s.launches.json", "s.launches.bin", "--json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("{\"wrote\": \"s.launches.bin\", \"bytes\": ")) << ran.out;
  EXPECT_EQ(command.read("s.launches.bin"), command.read("direct.launches.bin"));
  EXPECT_EQ(command.run({"convert", "s.launches.bin", "again.launches.json"}).status, 0);
  EXPECT_EQ(command.read("again.launches.json"), command.read("s.launches.json"));
  for (const char* form : {"s.launches.json", "s.launches.bin"}) {
    const auto judged = command.run({"certify", "s.planes.json", form});
    EXPECT_EQ(judged.status, 0);
    EXPECT_TRUE(judged.out.starts_with("certified\nverdict 0: 2 launches written, 10 run in 2"))
        << judged.out;
  }
}

TEST(ConvertCommand, WritesPlanesSchedulesAndPlansAgainToTheSameBytes) {
  const Planned planned;
  const auto& command = planned.command;
  for (const auto& [from, to] :
       {std::pair("s.planes.json", "x.planes.json"),
        std::pair("s.schedule.json", "x.schedule.json"), std::pair("s.plan.json", "x.json"),
        std::pair("s.plan.json", "x.h")}) {
    EXPECT_EQ(command.run({"convert", from, to}).status, 0) << from;
    EXPECT_EQ(command.read(to), command.read(to == std::string("x.h") ? "s.h" : from)) << from;
  }
  EXPECT_EQ(command.run({"convert", "s.plan.json", "x.svg"}).status, 0);
}

TEST(ConvertCommand, RefusesFormsThatDoNotHoldTheSame) {
  const Planned planned;
  const auto& command = planned.command;
  const auto other = command.run({"convert", "s.planes.json", "x.launches.bin"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("would hold launches, but s.planes.json holds planes"),
            std::string::npos)
      << other.err;
  EXPECT_EQ(command.run({"convert", "s.planes.json", "x.txt"}).status, 2);
  command.write("cut.bin", command.read("direct.launches.bin").substr(0, 99));
  EXPECT_EQ(command.run({"convert", "cut.bin", "x.launches.json"}).status, 3);
  EXPECT_EQ(command.run({"certify", "s.planes.json", "cut.bin"}).status, 3);
  command.write("other.json", R"({"format": "berth.program/1"})");
  EXPECT_EQ(command.run({"convert", "other.json", "x.json"}).status, 3);
}

}  // namespace
}  // namespace berth
