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

TEST(CaptureCommand, TwoQueuesAreInTheFileAndMakeTheAnswerUndecided) {
  test::CommandLine command;
  for (const char* queues :
       {"queue,1,in-order\nqueue,2,in-order\n", "queue,1,in-order\nqueue,2,out-of-order\n"}) {
    command.write("r.csv", std::string("berth.capture,2\n") + queues +
                               "buffer,1,0x100000000000000,1024\n"
                               "part,2,1,0,512\n"
                               "part,3,1,256,512\n"
                               "kernel,1,first,m2:b\n"
                               "kernel,2,second,m2:r\n"
                               "kernel,1,third,m3:b\nend\n");
    for (const char* form : {"r.launches.json", "r.launches.bin"}) {
      const auto ran = command.run({"capture", "r.csv", "-o", "r.planes.json", "-o", form});
      EXPECT_EQ(ran.status, 0) << ran.err;
      EXPECT_NE(ran.err.find("--host-order"), std::string::npos) << ran.err;
      EXPECT_EQ(command.run({"certify", "r.planes.json", form}).status, 4);
      const auto taken = command.run({"certify", "r.planes.json", form, "--host-order"});
      EXPECT_EQ(taken.status, 0);
      EXPECT_NE(taken.out.find("not judged: launches are on queues 'queue 1', 'queue 2'"),
                std::string::npos)
          << taken.out;
    }
  }
}

// Its pointers do not say how far they reach, and nothing inside it is judged: the verdict says so.
TEST(CaptureCommand, AnArenaOfSharedMemoryIsCertifiedWithNothingJudgedInsideIt) {
  test::CommandLine command;
  command.write("r.csv",
                "berth.capture,2\nqueue,1,in-order\nsvm,1,0x7f0000001000,4096\n"
                "kernel,1,first,p0x7f0000001000:b\n"
                "kernel,1,second,p0x7f0000001010:b\n"
                "kernel,1,third,p0x7f0000001000:r\nend\n");
  EXPECT_EQ(
      command.run({"capture", "r.csv", "-o", "r.planes.json", "-o", "r.launches.json"}).status, 0);
  const auto judged = command.run({"certify", "r.planes.json", "r.launches.json"});
  EXPECT_EQ(judged.status, 0);
  EXPECT_NE(judged.out.find("0 planes and 0 shared bytes judged (nothing shared: nothing judged "
                            "inside)\nnot judged: 2 pointers into svm 1 do not say"),
            std::string::npos)
      << judged.out;
}

// A pointer in a struct that lies in no tensor of the arena is one that is refused.
TEST(CaptureCommand, PointersInsideStructsAreJudged) {
  test::CommandLine command;
  const auto certified = [&](const std::string& low) {
    command.write("r.csv",
                  "berth.capture,2\nqueue,1,in-order\nbuffer,1,0x7f0000001000,4096\n"
                  "part,2,1,0,512\npart,3,1,256,512\n"
                  "kernel,1,first,m2:b\n"
                  "kernel,1,second,m3:b,s12:00000000" +
                      low + "0000007f0000\nend\n");
    EXPECT_EQ(
        command.run({"capture", "r.csv", "-o", "r.planes.json", "-o", "r.launches.json"}).status,
        0);
    return command.run({"certify", "r.planes.json", "r.launches.json"}).out;
  };
  EXPECT_TRUE(certified("0012").starts_with("certified\n")) << "0x7f0000001200 is in part 3";
  EXPECT_NE(certified("0014").find("word 2 is 0x7f0000001400"), std::string::npos);
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
            "       expected berth.capture,2\n");
}

}  // namespace
}  // namespace berth
