#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "berth/formats/plan_json.h"
#include "berth/formats/schedule.h"
#include "tests/support/command.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

constexpr const char* kTable = "id,lower,upper,size\na,0,2,100\nb,1,3,50\nc,2,4,100\n";

// Three buffers of 512,000 bytes, one after another, on a GPU.
std::string schedule_text() {
  test::Draft draft;
  std::vector<OpId> calls;
  for (const char* name : {"x", "y", "z"}) {
    calls.push_back(draft.call(std::string("k") + name, {draft.buffer(name, 512'000)}));
  }
  return write_schedule(draft.schedule(calls));
}

Plan plan_of(const std::string& text) {
  return read_plan(JsonDocument::parse(text, "stdout").value()).value();
}

class PlanCommandTest : public testing::Test {
 protected:
  PlanCommandTest() {
    command.write("t.csv", kTable);
    command.write("s.json", schedule_text());
  }

  Ran plan(std::vector<std::string> words, const std::string& input = "",
           const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), "plan");
    return command.run(words, input, environment);
  }
  std::uint64_t peak(std::vector<std::string> words) const {
    words.push_back("--json");
    const Ran ran = plan(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return plan_of(ran.out).arenas[0].figures.peak.count();
  }

  CommandLine command;
};

TEST_F(PlanCommandTest, PrintsATableAndNothingElse) {
  const Ran ran = plan({"t.csv"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find("150"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out.find('\x1B'), std::string::npos);  // no colour into a file
}

TEST_F(PlanCommandTest, QuietPrintsNothing) {
  const Ran ran = plan({"t.csv", "--quiet", "-o", "p.json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST_F(PlanCommandTest, JsonIsThePlanAndNothingElse) {
  const Ran ran = plan({"t.csv", "--json", "-o", "p.json"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(plan_of(ran.out).arenas[0].figures.peak, Bytes(150));
  EXPECT_EQ(plan_of(ran.out).source.file, "t.csv");
  EXPECT_EQ(command.read("p.json"), ran.out);
}

TEST_F(PlanCommandTest, ADashIsStandardInputAndOutput) {
  const Ran ran = plan({"-", "-o", "-"}, kTable);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(plan_of(ran.out).source.file, "-");
  EXPECT_EQ(plan({"-", "-o", "-", "--json"}, kTable).out, ran.out);  // once
}

TEST_F(PlanCommandTest, EachEndingIsAForm) {
  const Ran ran = plan({"t.csv", "-o", "p.json", "-o", "p.csv", "-o", "p.h"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(command.read("p.json").starts_with("{\"format\": \"berth.plan/1\""));
  EXPECT_TRUE(command.read("p.csv").starts_with("id,lower,upper,size,offset\na,0,2,100,"));
  EXPECT_NE(command.read("p.h").find("#define T_ARENA_COUNT 1"), std::string::npos);
}

TEST_F(PlanCommandTest, AScheduleIsWrittenRewritten) {
  const Ran ran = plan({"s.json", "-o", "out.schedule.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto document = JsonDocument::parse(command.read("out.schedule.json"), "out").value();
  const Schedule schedule = read_schedule(document).value();
  const View& view = test::argument(schedule.graph(), schedule.entries()[2], 0);
  EXPECT_EQ(view.bytes, (ByteRange{0, 512'000}));
  EXPECT_EQ(schedule.graph().storage(view.base).slot, 3u);
}

TEST_F(PlanCommandTest, AScheduleIsWrittenAsLaunchesThatAreCertified) {
  const Ran ran = plan({"s.json", "-o", "s.launches.json", "-o", "s.planes.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const Ran certified = command.run({"certify", "--strict", "s.planes.json", "s.launches.json"});
  EXPECT_EQ(certified.status, 0) << certified.out << certified.err;
  EXPECT_EQ(command.read("s.planes.json").find("\"address\": 268435456") != std::string::npos,
            true);
}

TEST_F(PlanCommandTest, WithExtentsLaunchesSayWhatTheyReach) {
  const Ran ran = plan({"s.json", "--extents", "-o", "s.launches.json", "-o", "s.launches.bin",
                        "-o", "s.planes.json"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  const std::string launches = command.read("s.launches.json");
  EXPECT_TRUE(launches.starts_with("{\"format\": \"berth.launches/2\"")) << launches;
  for (const char* form : {"s.launches.json", "s.launches.bin"}) {
    const Ran certified = command.run({"certify", "--strict", "s.planes.json", form});
    EXPECT_EQ(certified.status, 0) << certified.out << certified.err;
    EXPECT_NE(certified.out.find("say how many bytes they reach"), std::string::npos);
  }
  // One byte more than the argument has.
  const std::string bytes = "\"writes\": 512000}";
  const auto at = launches.find(bytes);
  ASSERT_NE(at, std::string::npos) << launches;
  command.write("more.launches.json",
                std::string(launches).replace(at, bytes.size(), "\"writes\": 512001}"));
  const Ran refused = command.run({"certify", "--json", "s.planes.json", "more.launches.json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("\"kind\": \"stray-access\""), std::string::npos) << refused.out;
}

TEST_F(PlanCommandTest, AnEndingThatIsNoFormIsWrongUsageAndNothingIsWritten) {
  for (const char* name : {"p.xyz", "p", "p.launches.csvx"}) {
    EXPECT_EQ(plan({"t.csv", "-o", "p.csv", "-o", name}).status, 2) << name;
  }
  EXPECT_EQ(plan({"t.csv", "-o", "p.csv", "-o", "p.schedule.json"}).status, 2);
  EXPECT_EQ(plan({"t.csv", "-o", "p.csv", "-o", "p.planes.json"}).status, 2);
  EXPECT_EQ(command.directory().names(), (std::vector<std::string>{"s.json", "t.csv"}));
}

TEST_F(PlanCommandTest, WhatFitsACapacityIsYesAndWhatDoesNotIsNo) {
  EXPECT_EQ(plan({"t.csv", "--capacity", "150"}).status, 0);
  const Ran no = plan({"t.csv", "--capacity", "149", "-o", "p.json"});
  EXPECT_EQ(no.status, 1);
  EXPECT_EQ(no.out, "");
  for (const char* part : {"150", "149", "a", "b"}) {
    EXPECT_NE(no.err.find(part), std::string::npos) << no.err;
  }
  EXPECT_EQ(command.read("p.json"), "(no such file)");
}

TEST_F(PlanCommandTest, WhatIsNeitherMetNorDisprovedIsUndecided) {
  // Fits 2304, which first fit by size misses.
  command.write("d.csv", "id,lower,upper,size\nb0,1,3,1024\nb1,3,6,768\nb2,2,5,768\nb3,3,5,768\n");
  const Ran undecided = plan({"d.csv", "--capacity", "2304", "--packer", "tlsf", "--json"});
  EXPECT_EQ(undecided.status, 4) << undecided.out;
  EXPECT_TRUE(undecided.out.starts_with("{\"error\": {\"kind\": \"undecided\""));
  EXPECT_EQ(plan({"d.csv", "--capacity", "2303", "--packer", "tlsf"}).status, 1);
}

TEST_F(PlanCommandTest, ADeviceMayHaveACapacityOfItsOwn) {
  command.write("d.csv", "id,lower,upper,size,device\na,0,1,100,A\nb,0,1,50,B\n");
  EXPECT_EQ(plan({"d.csv", "--capacity", "A=100", "--capacity", "B=50"}).status, 0);
  EXPECT_EQ(plan({"d.csv", "--capacity", "B=49"}).status, 1);
  EXPECT_EQ(plan({"d.csv", "--capacity", "60"}).status, 1);
  EXPECT_EQ(plan({"d.csv", "--capacity", "A=0x64", "--capacity", "60"}).status, 0);
  EXPECT_EQ(plan({"d.csv", "--capacity", "C=100"}).status, 2);
}

TEST_F(PlanCommandTest, TheReserveIsNobodys) {
  EXPECT_EQ(plan({"t.csv", "--capacity", "1000", "--reserve", "850"}).status, 0);
  const Ran no = plan({"t.csv", "--capacity", "1000", "--reserve", "851"});
  EXPECT_EQ(no.status, 1);
  EXPECT_NE(no.err.find("1000"), std::string::npos) << no.err;
  EXPECT_EQ(plan({"t.csv", "--capacity", "1000", "--reserve", "2000"}).status, 1);
}

TEST_F(PlanCommandTest, OnlyAModelCanCarryAPlan) {
  const Ran ran = plan({"t.csv", "-o", "t.tflite"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("no .tflite model"), std::string::npos) << ran.err;
  EXPECT_EQ(command.read("t.tflite"), "(no such file)");
}

TEST_F(PlanCommandTest, ScratchLivesInItsStepAlone) {
  EXPECT_EQ(peak({"s.json"}), 512'000u);
  EXPECT_EQ(peak({"s.json", "--scratch", "ky=1000"}), 513'024u);
  EXPECT_EQ(peak({"s.json", "--scratch", "1=1000"}), 513'024u);
  EXPECT_EQ(peak({"t.csv", "--scratch", "1=10"}), 160u);
  EXPECT_EQ(peak({"t.csv", "--scratch", "3=10"}), 150u);
  EXPECT_EQ(plan({"s.json", "--scratch", "nobody=10"}).status, 2);
  EXPECT_EQ(plan({"s.json", "--scratch", "7=10"}).status, 2);
  EXPECT_EQ(plan({"s.json", "--scratch", "ky"}).status, 2);
}

TEST_F(PlanCommandTest, AHeldBufferIsNotPlanned) {
  EXPECT_EQ(peak({"t.csv", "--hold", "b"}), 100u);
  const Plan held = plan_of(plan({"s.json", "--hold", "y", "--hold", "slot 2", "--json"}).out);
  ASSERT_EQ(held.kept.size(), 2u);
  EXPECT_EQ(held.kept[0], (KeptTensor{"y", KeptWhy::Held, Bytes(512'000), held.arenas[0].device}));
  EXPECT_EQ(held.kept[1].name, "z");
  EXPECT_EQ(plan({"t.csv", "--hold", "nobody"}).status, 2);
}

TEST_F(PlanCommandTest, ABaseIsWhereAnArenaBegins) {
  const auto address = [&](const std::vector<std::string>& words) {
    return plan_of(plan(words).out).arenas[0].address.value();
  };
  EXPECT_EQ(address({"s.json", "--json"}), 0x10000000u);
  EXPECT_EQ(address({"s.json", "--json", "--base", "GPU=0x20000"}), 0x20000u);
  EXPECT_EQ(plan({"s.json", "--base", "TPU=0"}).status, 2);
  EXPECT_EQ(plan({"s.json", "--base", "GPU=here"}).status, 2);
  EXPECT_EQ(plan({"s.json", "--base", "GPU=4104"}).status, 2);                  // misaligned
  EXPECT_EQ(plan({"s.json", "--base", "GPU=18446744073709551360"}).status, 2);  // past 64 bits
}

TEST_F(PlanCommandTest, AnArenaMayEndAtTheEndOfTheAddresses) {
  const std::string rows = "id,lower,upper,size,device\na,0,2,512,D\nb,1,3,512,D\n";
  command.write("end.csv", rows);
  const std::string base = "D=18446744073709550592";  // 2^64 - 1024
  const Ran ran = plan({"end.csv", "--base", base, "-q", "-o", "end.json", "-o", "end.html", "-o",
                        "end.svg", "-o", "end.h"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(command.run({"check", "end.json", "end.csv"}).status, 0);
  EXPECT_EQ(command.run({"show", "end.json"}).status, 0);
  EXPECT_EQ(plan({"end.csv", "--base", "D=18446744073709550593", "-q"}).status, 2);
}

TEST_F(PlanCommandTest, AnAlignmentRoundsSizesAndPlaces) {
  EXPECT_EQ(peak({"t.csv", "--alignment", "64"}), 192u);
  EXPECT_EQ(plan({"t.csv", "--alignment", "48"}).status, 2);
  EXPECT_EQ(plan({"t.csv", "--alignment", "0"}).status, 2);
}

TEST_F(PlanCommandTest, AnAlignmentIsTheUnitOfASchedule) {
  const Plan pages =
      plan_of(plan({"s.json", "--alignment", "4096", "--json", "-o", "pages.json"}).out);
  EXPECT_EQ(pages.arenas[0].unit.value(), 4096u);
  EXPECT_EQ(pages.arenas[0].figures.peak.count() % 4096, 0u);
  for (const PlannedBuffer& buffer : pages.buffers) {
    EXPECT_EQ((buffer.offset.value() - buffer.skew.count()) % 4096, 0u);
  }
  EXPECT_EQ(command.run({"check", "pages.json", "s.json"}).status, 0);
  EXPECT_EQ(plan({"s.json", "--alignment", "128"}).status, 2);  // less than a skew may be
}

TEST_F(PlanCommandTest, WithTheMemoryPlannerOffAScheduleStaysAsItIs) {
  const Ran ran =
      plan({"s.json", "-o", "out.schedule.json", "--json"}, "", {"NO_MEMORY_PLANNER=1", "DEBUG=1"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(command.read("out.schedule.json"), command.read("s.json"));
  EXPECT_EQ(plan_of(ran.out).kept[0].why, KeptWhy::PlannerOff);
  EXPECT_EQ(ran.err.find("memory reduced"), std::string::npos);
  EXPECT_EQ(plan({"s.json", "--json"}, "", {"NO_MEMORY_PLANNER=0"}).out,
            plan({"s.json", "--json"}).out);
}

TEST_F(PlanCommandTest, NoMemoryPlannerIsNeverPassedOver) {
  for (const char* value : {"1", "-1", "2", "true", "Yes", " on ", "99999999999999999999"}) {
    const Ran ran = plan({"s.json", "--json"}, "", {std::string("NO_MEMORY_PLANNER=") + value});
    EXPECT_EQ(ran.status, 0) << value;
    EXPECT_TRUE(plan_of(ran.out).buffers.empty()) << value;
  }
  for (const char* value : {"", "0", "00", "-0", "false", "NO", "off"}) {
    const Ran ran = plan({"s.json", "--json"}, "", {std::string("NO_MEMORY_PLANNER=") + value});
    EXPECT_EQ(ran.out, plan({"s.json", "--json"}).out) << value;
  }
  for (const char* value : {"maybe", "1.5", "0x1", "-"}) {
    const Ran ran = plan({"s.json"}, "", {std::string("NO_MEMORY_PLANNER=") + value});
    EXPECT_EQ(ran.status, 2) << value;
    EXPECT_NE(ran.err.find("NO_MEMORY_PLANNER: found '" + std::string(value) + "'"),
              std::string::npos)
        << ran.err;
    // What is no schedule is planned as ever.
    EXPECT_EQ(plan({"t.csv"}, "", {std::string("NO_MEMORY_PLANNER=") + value}).status, 0);
  }
}

TEST_F(PlanCommandTest, DebugIsOnFromOneOnAndSilencedByNothing) {
  const std::string message = "memory reduced from 1.54 MB -> 0.51 MB, 3 -> 1 bufs\n";
  for (const char* value : {"1", "3", "true", "on"}) {
    const Ran ran = plan({"s.json", "--json", "--quiet"}, "", {std::string("DEBUG=") + value});
    EXPECT_EQ(ran.err, "berth: " + message) << value;
    EXPECT_EQ(plan_of(ran.out).arenas.size(), 1u);
  }
  for (const char* value : {"0", "-1", "", "app:*", "false"}) {
    const Ran ran = plan({"s.json", "--quiet"}, "", {std::string("DEBUG=") + value});
    EXPECT_EQ(ran.out + ran.err, "") << value;
    EXPECT_EQ(ran.status, 0);
  }
}

TEST_F(PlanCommandTest, LaunchesThatAreTooManyAreALimitWhereTheyAreAskedFor) {
  command.write("many.json", R"({"format": "berth.schedule/1", "ops": [
    {"op": "buffer", "slot": 0, "dtype": "int8", "size": 100, "device": "GPU"},
    {"op": "kernel"}, {"op": "call", "src": [1, 0]},
    {"op": "end", "src": [2], "count": 18446744073709551615},
    {"op": "linear", "src": [3]}], "root": 4})");
  const Ran asked = plan({"many.json", "-o", "m.launches.json", "-o", "m.schedule.json"});
  EXPECT_EQ(asked.status, 4);
  EXPECT_NE(asked.err.find("many.json: root: "), std::string::npos) << asked.err;
  EXPECT_EQ(command.read("m.schedule.json"), "(no such file)");
  const Ran rewritten = plan({"many.json", "-o", "m.schedule.json"});
  EXPECT_EQ(rewritten.status, 0);
  EXPECT_NE(rewritten.err.find("launches were not certified"), std::string::npos);
}

TEST_F(PlanCommandTest, DebugSaysWhatWasSaved) {
  const std::string message = "memory reduced from 1.54 MB -> 0.51 MB, 3 -> 1 bufs\n";
  for (const char* level : {"DEBUG=1", "DEBUG=2"}) {
    EXPECT_TRUE(plan({"s.json"}, "", {level}).out.starts_with(message));
  }
  EXPECT_EQ(plan({"s.json"}, "", {"DEBUG=0"}).out, plan({"s.json"}).out);
  EXPECT_EQ(plan({"s.json", "--quiet"}, "", {"DEBUG=1"}).out, message);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"s.json", "--json"}, {"s.json", "-o", "-"}}) {
    const Ran ran = plan(words, "", {"DEBUG=1"});
    EXPECT_EQ(plan_of(ran.out).arenas.size(), 1u);
    EXPECT_NE(ran.err.find(message), std::string::npos);
  }
}

TEST_F(PlanCommandTest, ABadInputLeavesAnExistingOutputWhole) {
  command.write("p.json", "mine");
  command.write("bad.csv", "id,lower,upper,size\na,5,3,4\n");
  const Ran ran = plan({"bad.csv", "-o", "p.json"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.substr(0, ran.err.find('\n')),
            "berth: error: bad.csv:2:5: the life from 5 to 3 is reversed");
  EXPECT_EQ(plan({"t.csv", "--capacity", "1", "-o", "p.json"}).status, 1);
  EXPECT_EQ(command.read("p.json"), "mine");
}

TEST_F(PlanCommandTest, AFailureUnderJsonIsOneObject) {
  const Ran ran = plan({"none.csv", "--json"});
  EXPECT_EQ(ran.status, 3);
  const auto document = JsonDocument::parse(ran.out, "out").value();
  const JsonValue error = document.root().field("error").value();
  EXPECT_EQ(error.field("kind")->string(), "input");
  EXPECT_EQ(error.field("where")->string(), "none.csv");
  EXPECT_EQ(error.field("message")->string(), "cannot open: No such file or directory");
  EXPECT_NE(error.field("hint")->string(), "");
  EXPECT_TRUE(ran.err.starts_with("berth: error: none.csv: cannot open"));

  const Ran usage = plan({"t.csv", "--json", "--nonsense"});
  EXPECT_EQ(usage.status, 2);
  EXPECT_TRUE(usage.out.starts_with("{\"error\": {\"kind\": \"usage\""));
}

TEST_F(PlanCommandTest, WhereNothingCanBeWrittenTheFailureIsTheOnlyObject) {
  const Ran ran = plan({"t.csv", "--json", "-o", "none/p.json"});
  EXPECT_EQ(ran.status, 3);
  const auto document = JsonDocument::parse(ran.out, "out");
  ASSERT_TRUE(document) << ran.out;
  EXPECT_TRUE(document->root().field("error"));
}

TEST_F(PlanCommandTest, WhatCannotBePlannedIsBadInput) {
  command.write("p.json", plan({"t.csv", "--json"}).out);
  command.write("new.json", R"({"format": "berth.schedule/2", "ops": [], "root": 0})");
  command.write("other.json", R"({"a": 1})");
  command.write("empty", "");
  command.write("m.onnx", "\x08\x07\x12\x04");
  for (const char* name : {"p.json", "new.json", "other.json", "empty", "m.onnx", "."}) {
    const Ran ran = plan({name});
    EXPECT_EQ(ran.status, 3) << name;
    EXPECT_TRUE(ran.err.starts_with(std::string("berth: error: ") + name)) << ran.err;
  }
  EXPECT_NE(plan({"new.json"}).err.find("berth.schedule/2"), std::string::npos);
}

TEST_F(PlanCommandTest, AHeaderAloneIsAnEmptyPlan) {
  const Ran ran = plan({"-", "-o", "p.csv"}, "id,lower,upper,size\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(command.read("p.csv"), "id,lower,upper,size,offset\n");
}

TEST_F(PlanCommandTest, TheSameInputGivesTheSameBytes) {
  const Ran first = plan({"t.csv", "--json"});
  for (int run = 0; run < 3; ++run) EXPECT_EQ(plan({"t.csv", "--json"}).out, first.out);
}

TEST_F(PlanCommandTest, WrongUsageIsSaidOnStandardError) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"frobnicate"},
                                             {"plan"},
                                             {"plan", "t.csv", "--nonsense"},
                                             {"plan", "t.csv", "u.csv"},
                                             {"plan", "t.csv", "--packer", "magic"},
                                             {"plan", "t.csv", "--capacity", "many"},
                                             {"plan", "t.csv", "--capacity"},
                                             {"plan", "t.csv", "--seed", "-1"},
                                             {"plan", "t.csv", "--reserve", "1.5"},
                                             {"check"}}) {
    const Ran ran = command.run(words);
    EXPECT_EQ(ran.status, 2) << testing::PrintToString(words);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with("berth: error: ")) << ran.err;
  }
}

TEST_F(PlanCommandTest, HelpAndVersionAreResults) {
  EXPECT_EQ(command.run({"--version"}).out, "berth 0.1.0\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"plan", "--help"}, {"check", "--help"}}) {
    const Ran ran = command.run(words);
    EXPECT_EQ(ran.status, 0);
    EXPECT_NE(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
}

TEST_F(PlanCommandTest, NamesCannotMoveTheCursor) {
  const Ran ran = plan({"-"}, "id,lower,upper,size\n\x1B[2Ja,0,2,100\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out.find('\x1B'), std::string::npos);
  const Ran bad = plan({"-"}, "id,lower,upper,size\na,0,\x1B[2J,100\n");
  EXPECT_EQ(bad.status, 3);
  EXPECT_EQ(bad.err.find('\x1B'), std::string::npos);
}

TEST_F(PlanCommandTest, NamesCannotForgeALine) {
  const Ran twice = plan({"-"}, "id,lower,upper,size\n\"a\nsound\",0,2,1\n\"a\nsound\",0,2,1\n");
  EXPECT_EQ(twice.status, 3);
  EXPECT_EQ(twice.err.find("\nsound"), std::string::npos) << twice.err;
  const Ran clash = plan({"-"}, "id,lower,upper,size,offset\n\"a\nsound\",0,2,4,0\nb,0,2,4,1\n");
  EXPECT_EQ(clash.status, 1);
  EXPECT_EQ(clash.err.find("\nsound"), std::string::npos) << clash.err;
}

TEST_F(PlanCommandTest, BinariesOfNoKnownKindAreRefusedAsThat) {
  const Ran ran = plan({"-"}, std::string("\x1C\0\0\0TFL", 7));
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("is a binary of no kind that is known"), std::string::npos) << ran.err;
}

TEST_F(PlanCommandTest, AWordThatIsNoCommandIsNamed) {
  const Ran ran = command.run({"frob"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("frob: is no command of berth"), std::string::npos) << ran.err;
}

TEST_F(PlanCommandTest, ARowWithoutBytesKeepsItsOffset) {
  command.write("e.csv", "id,lower,upper,size,offset\na,0,2,0,7\nb,0,2,8,\n");
  EXPECT_EQ(plan({"e.csv", "-q", "-o", "out.csv", "-o", "out.json"}).status, 0);
  EXPECT_EQ(command.read("out.csv"), "id,lower,upper,size,offset\na,0,2,0,7\nb,0,2,8,0\n");
  EXPECT_EQ(command.run({"check", "out.json", "e.csv"}).status, 0);
  EXPECT_EQ(command.run({"check", "out.csv"}).status, 0);
}

TEST_F(PlanCommandTest, AHintThatNothingMeetsChangesNothing) {
  command.write(
      "h.csv",
      "id,lower,upper,size,hint\na,0,2,100,18446744073709551615\nb,1,3,50,1152921504606846976\n");
  for (const char* packer : {"auto", "exact", "squeaky", "tlsf", "greedy"}) {
    EXPECT_EQ(peak({"h.csv", "--packer", packer}), 150u) << packer;
  }
}

TEST_F(PlanCommandTest, AFixedPlaceAtTheEndOfTheNumbersIsPlannedWithoutAnOverflow) {
  command.write("f.csv",
                "id,lower,upper,size,offset\na,0,2,4,18446744073709551611\n"
                "b,0,2,4,0\n");
  for (const char* packer : {"auto", "exact", "squeaky", "greedy"}) {
    EXPECT_EQ(peak({"f.csv", "--packer", packer}), UINT64_MAX) << packer;
  }
  EXPECT_EQ(
      plan({"f.csv", "-q", "-o", "f.json", "-o", "f.h", "-o", "f.html", "-o", "f.svg"}).status, 0);
  EXPECT_EQ(command.run({"check", "f.json", "f.csv"}).status, 0);
  EXPECT_EQ(command.run({"show", "f.json"}).status, 0);
  EXPECT_EQ(command.run({"explain", "f.csv"}).status, 0);
}

TEST_F(PlanCommandTest, NullIsJsonOfNoKindAndNoTable) {
  const Ran ran = plan({"-"}, "null\n");
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("is JSON"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace berth
