#include <gtest/gtest.h>

#include "tests/support/command.h"

namespace berth {
namespace {

constexpr const char* kRun =
    "berth.capture,1\n"
    "queue,1,in-order\n"
    "buffer,1,0x100000000000000,1024\n"
    "part,2,1,0,512\n"
    "part,3,1,256,512\n"
    "kernel,1,first,m2:b\n"
    "kernel,1,second,m3:b\n"
    "kernel,1,third,m2:r\n";

TEST(CaptureCommand, WritesPlanesAndLaunchesThatCertifyJudges) {
  test::CommandLine command;
  command.write("r.csv", kRun);
  const auto ran =
      command.run({"capture", "r.csv", "-o", "r.planes.json", "-o", "r.launches.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "3 launches with 3 words, 1 windows, 0 globals, 3 planes\n");
  EXPECT_NE(ran.err.find("does not say that the program ended"), std::string::npos) << ran.err;
  const auto judged = command.run({"certify", "r.planes.json", "r.launches.json"});
  EXPECT_EQ(judged.status, 1);
  EXPECT_NE(judged.out.find("verdict 7:"), std::string::npos) << judged.out;
  EXPECT_NE(judged.out.find("part 2, bytes [0, 512) of memory 1"), std::string::npos) << judged.out;
}

TEST(CaptureCommand, SaysAsJsonWhatItSaw) {
  test::CommandLine command;
  command.write("r.csv", std::string(kRun) + "read,1,m2:r\nend\n");
  EXPECT_EQ(command.run({"capture", "r.csv", "--json"}).out,
            "{\"launches\": 4, \"words\": 4, \"windows\": 1, \"globals\": 0, \"planes\": 4, "
            "\"warnings\": []}\n");
  EXPECT_EQ(command.run({"capture", "r.csv", "--json", "--kernels"}).out,
            "{\"launches\": 3, \"words\": 3, \"windows\": 1, \"globals\": 0, \"planes\": 3, "
            "\"warnings\": []}\n");
}

TEST(CaptureCommand, RefusesOtherFilesAndOtherForms) {
  test::CommandLine command;
  command.write("r.csv", kRun);
  EXPECT_EQ(command.run({"capture", "r.csv", "-o", "r.json"}).status, 2);
  command.write("s.csv", "id,lower,upper,size\n");
  const auto other = command.run({"capture", "s.csv"});
  EXPECT_EQ(other.status, 3);
  EXPECT_EQ(other.err,
            "berth: error: s.csv:1:1: 'id' is not how the record of a run begins\n"
            "       expected berth.capture,1\n");
}

}  // namespace
}  // namespace berth
