#include "berth/formats/capture_csv.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

constexpr const char* kRun =
    "berth.capture,1\n"
    "queue,1,in-order\n"
    "buffer,1,0x100000000000000,1024\n"
    "part,2,1,256,512\n"
    "svm,3,0x7f0000001000,4096\n"
    "write,0,m1:w\n"
    "write,1,m2:w:0:128\n"
    "kernel,1,\"a,b\",m2:r,p0x7f0000001100:b,v64,s24\n"
    "copy,1,p0x7f0000001000:r:256,m1:w:0:256\n"
    "end\n";

Capture read(const std::string& text) {
  const auto capture = read_capture(text, "r");
  EXPECT_TRUE(capture) << to_string(capture.error());
  return capture.value_or(Capture());
}

std::string refusal(const std::string& records) {
  const auto capture = read_capture("berth.capture,1\n" + records, "r");
  return capture ? "" : to_string(capture.error());
}

TEST(CaptureCsv, SaysWhatWasSeen) {
  const Capture capture = read(kRun);
  ASSERT_EQ(capture.memories.size(), 3u);
  EXPECT_EQ(capture.memories[1],
            (CapturedMemory{CapturedMemory::Kind::Part, Address(0x100000000000100), Bytes(512),
                            MemoryId(0)}));
  EXPECT_EQ(capture.memories[2].kind, CapturedMemory::Kind::Svm);
  ASSERT_EQ(capture.commands.size(), 4u);
  const CapturedCommand& kernel = capture.commands[2];
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_EQ(kernel.name, "a,b");
  const std::vector<CapturedWord> words = {
      {0x100000000000100, MemoryId(1), Bytes(512), Access::Read},
      {0x7f0000001100, std::nullopt, Bytes(0), Access::Both},
      {64}};
  EXPECT_EQ(kernel.words, words);
  EXPECT_EQ(capture.unseen_pointers, 1u);
  EXPECT_EQ(capture.in_order, (std::vector{true}));
  EXPECT_EQ(capture.commands[0].queue, 0u);
  EXPECT_EQ(kernel.queue, 1u);
  EXPECT_TRUE(capture.ended);
}

TEST(CaptureCsv, APartOfAMemoryIsWhatAMoveReaches) {
  const Capture capture = read(kRun);
  const CapturedWord whole = {0x100000000000000, MemoryId(0), Bytes(1024), Access::Write};
  const CapturedWord part = {0x100000000000100, MemoryId(1), Bytes(128), Access::Write};
  EXPECT_EQ(capture.commands[0].words.at(0), whole);
  EXPECT_EQ(capture.commands[1].words.at(0), part);
}

TEST(CaptureCsv, ALineThatWasCutShortIsLeftOutAndTheProgramDidNotEnd) {
  const std::string text = kRun;
  const Capture cut = read(text.substr(0, text.find("end\n") - 3));
  EXPECT_EQ(cut.commands.size(), 3u);
  EXPECT_FALSE(cut.ended);
}

TEST(CaptureCsv, EachCommandSaysItsQueueAndEachQueueItsOrder) {
  const Capture capture =
      read("berth.capture,2\nqueue,1,out-of-order\nqueue,2,in-order\nread,2\nkernel,1,k\n");
  EXPECT_EQ(capture.in_order, (std::vector{false, true}));
  EXPECT_EQ(capture.commands[0].queue, 2u);
  EXPECT_EQ(capture.commands[1].queue, 1u);
}

// Where its members are is not known: each 8 bytes from a multiple of 4 on may be a pointer.
TEST(CaptureCsv, AStructIsEveryWordThatMayStandInIt) {
  const auto words = [](const std::string& word) {
    const Capture capture = read("berth.capture,2\nqueue,1,in-order\nkernel,1,k," + word + "\n");
    EXPECT_EQ(capture.unseen_pointers, 0u);
    std::vector<std::uint64_t> values;
    for (const CapturedWord& each : capture.commands.at(0).words) {
      EXPECT_FALSE(each.memory);
      values.push_back(each.value);
    }
    return values;
  };
  EXPECT_EQ(
      words("v1,s16:000100000070000011121314151617ff,v2"),
      (std::vector<std::uint64_t>{1, 0x700000000100, 0x1413121100007000, 0xff17161514131211, 2}));
  EXPECT_EQ(words("s12:0102030405060708090A0b0c"),
            (std::vector<std::uint64_t>{0x0807060504030201, 0x0c0b0a0908070605}));
  EXPECT_EQ(words("s11:0102030405060708090a0b"), (std::vector<std::uint64_t>{0x0807060504030201}));
  EXPECT_TRUE(words("s7:01020304050607").empty());
  EXPECT_TRUE(words("s0:").empty());
}

TEST(CaptureCsv, RefusesWhatItDoesNotKnowWithTheCell) {
  EXPECT_EQ(to_string(read_capture("", "r").error()),
            "r:1:1: '' is not how the record of a run begins (expected berth.capture,2)");
  EXPECT_EQ(to_string(read_capture("berth.capture,3\n", "r").error()),
            "r:1:15: '3' is no version of berth.capture that this berth reads (expected 1 or 2)");
  EXPECT_EQ(refusal("buffer,2,0x1000,16\n"),
            "r:2:8: '2' is not the next memory's number (expected 1)");
  EXPECT_EQ(refusal("buffer,1,0xffffffffffffffff,2\n"),
            "r:2:29: '2' is no number of bytes from there on (expected at least 1, and an end "
            "within 64 bits)");
  EXPECT_EQ(refusal("buffer,1,0xffffffffffffffff,1\n"), "");
  EXPECT_EQ(refusal("buffer,1,16,16\npart,2,1,8,9\n"),
            "r:3:10: '8' and what follows are no part of it (it has 16 bytes)");
  EXPECT_EQ(refusal("part,1,1,0,1\n"), "r:2:8: '1' is no memory so far");
  EXPECT_EQ(refusal("kernel,1,k\n"), "r:2:8: '1' is no queue so far");
  EXPECT_EQ(refusal("kernel,0,k\n"), "r:2:8: '0' is no queue so far");
  EXPECT_EQ(refusal("queue,1,any\n"),
            "r:2:9: 'any' is no order (expected in-order or out-of-order)");
  EXPECT_EQ(refusal("free,1\n").substr(0, 35), "r:2:1: 'free' is no record of a run");
  EXPECT_EQ(refusal("end\nend\n"), "r:3:1: 'end' stands after the end of the program");
}

TEST(CaptureCsv, RefusesWordsThatNameNothing) {
  for (const char* word : {"",
                           "m1",
                           "m2:b",
                           "m0:b",
                           "m1:x",
                           "m1:b:0",
                           "m1:b:8:9",
                           "m1:b:17:0",
                           "p1",
                           "p1:b:x",
                           "p0xffffffffffffffff:b:2",
                           "v",
                           "v1:b",
                           "s-1",
                           "x1",
                           "v18446744073709551616",
                           "s2:0",
                           "s2:000",
                           "s2:00000",
                           "s1:0g",
                           "s1:-1",
                           "s1: 1",
                           "s1:00:00",
                           "s18446744073709551615:00"}) {
    const std::string said = refusal("buffer,1,16,16\nread,0," + std::string(word) + "\n");
    EXPECT_TRUE(said.starts_with("r:3:8: '" + std::string(word) + "' is no word")) << said;
  }
}

}  // namespace
}  // namespace berth
