#include <fmt/format.h>
#include <gtest/gtest.h>

#include "berth/formats/json.h"
#include "berth/formats/schedule.h"
#include "tests/support/command.h"
#include "tests/support/schedules.h"

namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

class CheckCommandTest : public testing::Test {
 protected:
  CheckCommandTest() {
    command.write("t.csv", "id,lower,upper,size\na,0,2,100\nb,1,3,50\nc,2,4,100\n");
    EXPECT_EQ(command.run({"plan", "t.csv", "-o", "p.json", "-o", "placed.csv"}).status, 0);
  }

  // p.json with its first `from` replaced, as d.json.
  void damage(const std::string& from, const std::string& to) const {
    std::string text = command.read("p.json");
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    command.write("d.json", text.replace(at, from.size(), to));
  }

  CommandLine command;
};

TEST_F(CheckCommandTest, APlanOfOursIsSound) {
  for (const char* file : {"p.json", "placed.csv"}) {
    const Ran ran = command.run({"check", file});
    EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
    EXPECT_NE(ran.out, "");
    EXPECT_EQ(ran.err, "");
  }
  EXPECT_EQ(command.run({"check", "p.json", "t.csv"}).status, 0);
  EXPECT_EQ(command.run({"check", "-"}, command.read("p.json")).status, 0);
  EXPECT_EQ(command.run({"check", "p.json", "--quiet"}).out, "");
}

TEST_F(CheckCommandTest, ADamagedPlanIsNoAndSaysWhoMeets) {
  damage(R"("name": "b", "arena": 0, "offset": 100)", R"("name": "b", "arena": 0, "offset": 99)");
  const Ran ran = command.run({"check", "d.json"});
  EXPECT_EQ(ran.status, 1);
  for (const char* part : {"a", "b", "99", "100"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << ran.out;
  }
}

// At most 15 bytes are live, but a stands at [5, 10) and b finds no 6 beside it in 15.
TEST_F(CheckCommandTest, TheReasonOfARefusalIsConfirmed) {
  command.write("cut.csv", "id,lower,upper,size,offset\na,0,2,5,5\nb,0,1,6,\nc,1,3,5,\nd,1,3,5,\n");
  const Ran refused =
      command.run({"plan", "cut.csv", "--capacity", "15", "--reason", "why.json", "--json"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("\"reason\": {\"format\": \"berth.reason/1\""), std::string::npos);
  const Ran ran = command.run({"check", "--reason", "why.json", "cut.csv"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("confirmed: 2 buffers do not go into 15 bytes"), std::string::npos);
  EXPECT_EQ(command.run({"check", "why.json"}).status, 0);
  EXPECT_EQ(command.run({"check", "why.json", "cut.csv", "--capacity", "16"}).status, 1);
  EXPECT_EQ(command.run({"check", "why.json", "t.csv"}).status, 1);
  EXPECT_EQ(command.run({"check", "--reason", "p.json"}).status, 3);
  EXPECT_EQ(command.run({"plan", "why.json"}).status, 3);

  std::string text = command.read("why.json");
  const auto at = text.find("\"capacity\": 15");
  command.write("false.json", text.replace(at, 14, "\"capacity\": 16"));
  const Ran refuted = command.run({"check", "false.json"});
  EXPECT_EQ(refuted.status, 1);
  EXPECT_NE(refuted.out.find("refuted"), std::string::npos);
}

TEST_F(CheckCommandTest, NoReasonIsWrittenWhereItFits) {
  EXPECT_EQ(command.run({"plan", "t.csv", "--capacity", "150", "--reason", "why.json"}).status, 0);
  EXPECT_EQ(command.read("why.json"), "(no such file)");
  EXPECT_EQ(command.run({"plan", "t.csv", "--capacity", "149", "--reason", "why.txt"}).status, 2);
}

TEST_F(CheckCommandTest, AFalseClaimToBeLeastIsNo) {
  damage("\"proved_least\": true", "\"proved_least\": false");
  const Ran ran = command.run({"check", "d.json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("claims to be not proved least"), std::string::npos) << ran.out;
}

// Seven buffers with a max load of 5 that go into 6 and into no less.
class LowerBoundOfAPlan : public CheckCommandTest {
 protected:
  LowerBoundOfAPlan() {
    command.write("t.csv",
                  "id,lower,upper,size\na,0,1,2\nb,0,2,3\nc,1,4,1\nd,1,5,1\ne,2,5,2\nf,4,8,2\n"
                  "g,6,8,3\n");
    EXPECT_EQ(command.run({"plan", "t.csv", "-o", "p.json"}).status, 0);
  }
  // p.json with every `from` replaced, as d.json.
  void replace(const std::string& from, const std::string& to) const {
    std::string text = command.read("d.json");
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), to);
      at += to.size();
    }
    command.write("d.json", text);
  }
  // All that stands at each offset, one byte further up, from the highest one on.
  void raise(const std::string& more = "") const {
    command.write("d.json", command.read("p.json"));
    for (int offset = 5; offset >= 0; --offset) {
      replace(fmt::format("\"offset\": {},", offset),
              fmt::format("\"offset\": {},{}", offset + 1,
                          more.empty() ? "" : fmt::format(" \"fixed\": {},", offset + 1)));
    }
    replace("\"bytes\": 6,", "\"bytes\": 7,");
    replace("\"lower_bound\": 6,", "\"lower_bound\": 7,");
  }
};

TEST_F(LowerBoundOfAPlan, IsConfirmedWithNoPackerWhereEveryWayCanBeTried) {
  const Ran ran = command.run({"check", "p.json", "t.csv"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("lower bound 6: confirmed, 7 buffers do not go into 5 bytes"),
            std::string::npos)
      << ran.out;
  const Ran json = command.run({"check", "p.json", "--json"});
  EXPECT_NE(
      json.out.find("\"lower_bounds\": [{\"arena\": 0, \"lower_bound\": 6, \"confirmed\": true"),
      std::string::npos)
      << json.out;
}

TEST_F(LowerBoundOfAPlan, IsRefusedWhereAllBuffersCouldMoveDown) {
  raise();
  const Ran ran = command.run({"check", "d.json", "t.csv"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("claims lower bound 7, but its buffers go into 6"), std::string::npos)
      << ran.out;
}

TEST_F(LowerBoundOfAPlan, IsRefusedWhereAnotherWayTakesLess) {
  command.write("t.csv", "id,lower,upper,size\na,0,2,2\nb,1,3,3\nc,2,4,2\n");
  EXPECT_EQ(command.run({"plan", "t.csv", "-o", "p.json"}).status, 0);
  command.write("d.json", R"({"format": "berth.plan/1", "source": {"file": "", "sha256": ""},
 "packer": "", "seed": 0, "arenas": [{"device": "", "tier": "", "bytes": 7, "max_load": 5,
 "lower_bound": 7, "proved_least": true, "peak_step": 1, "alignment": 1, "address": 4096}],
 "ordering": "", "cut": false, "buffers": [
 {"name": "a", "arena": 0, "offset": 0, "bytes": 2, "skew": 0, "alignment": 1, "first": 0, "end": 2},
 {"name": "b", "arena": 0, "offset": 2, "bytes": 3, "skew": 0, "alignment": 1, "first": 1, "end": 3},
 {"name": "c", "arena": 0, "offset": 5, "bytes": 2, "skew": 0, "alignment": 1, "first": 2, "end": 4}],
 "kept": []})");
  const Ran ran = command.run({"check", "d.json", "t.csv"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("claims lower bound 7, but its buffers go into 6"), std::string::npos)
      << ran.out;
}

TEST_F(LowerBoundOfAPlan, DoesNotRestOnPlacesThatOnlyThePlanFixes) {
  raise("fixed");
  EXPECT_EQ(command.run({"check", "d.json"}).status, 0);
  const Ran ran = command.run({"check", "d.json", "t.csv"});
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("in the plan, in the input it is not"), std::string::npos) << ran.out;
}

TEST_F(LowerBoundOfAPlan, IsTakenAtItsWordWhereTheBuffersAreTooManyAndThatIsSaid) {
  // 1500 copies of the seven, one after another in time.
  std::string rows = "id,lower,upper,size\n";
  for (int i = 0; i < 1500; ++i) {
    const auto row = [&](char name, int lower, int upper, int size) {
      rows += fmt::format("{}{},{},{},{}\n", name, i, 8 * i + lower, 8 * i + upper, size);
    };
    row('a', 0, 1, 2), row('b', 0, 2, 3), row('c', 1, 4, 1), row('d', 1, 5, 1), row('e', 2, 5, 2);
    row('f', 4, 8, 2), row('g', 6, 8, 3);
  }
  command.write("t.csv", rows);
  EXPECT_EQ(command.run({"plan", "t.csv", "-o", "p.json"}).status, 0);
  const Ran ran = command.run({"check", "p.json", "t.csv"});
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("lower bound 6: taken at the plan's word, only its max load, 5, was"),
            std::string::npos)
      << ran.out;
}

TEST_F(CheckCommandTest, AnOrderThatIsNoneOfItsStepsIsNo) {
  for (const char* order : {"[0, 0, 1, 2]", "[5, 6]", "[1, 0]"}) {
    damage(R"("buffers": [)", std::string(R"("order": )") + order + R"(, "buffers": [)");
    const Ran ran = command.run({"check", "d.json"});
    EXPECT_EQ(ran.status, 1) << order << ran.out << ran.err;
    EXPECT_EQ(ran.out.find("not sound\n"), 0U) << ran.out;
    EXPECT_NE(command.run({"check", "d.json", "--json"}).out.find("wrong-order"),
              std::string::npos);
  }
  damage(R"("buffers": [)", R"("order": [1, 0, 3, 2], "buffers": [)");
  EXPECT_EQ(command.run({"check", "d.json"}).status, 0);
}

TEST_F(CheckCommandTest, ABufferToldTwiceIsNoPlanForTheInput) {
  damage("\"name\": \"b\"", "\"name\": \"c\"");
  EXPECT_EQ(command.run({"check", "d.json", "t.csv"}).status, 1);
  damage("\"kept\": []", R"("kept": [{"name": "b", "why": "held", "bytes": 50}])");
  EXPECT_EQ(command.run({"check", "d.json", "t.csv"}).status, 1);
}

// By a word to check, or by one to plan that the plan records and check then tells.
TEST_F(CheckCommandTest, OnlyAPersonMayLeaveABufferOut) {
  command.write("more.csv", command.read("t.csv") + "d,0,1,7\n");
  EXPECT_EQ(command.run({"plan", "more.csv", "--hold", "d", "-o", "p.json"}).status, 0);
  EXPECT_EQ(command.run({"check", "p.json", "more.csv", "--hold", "d"}).out.find("plan alone"),
            std::string::npos);
  const Ran ran = command.run({"check", "p.json", "more.csv"});
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_NE(ran.out.find("as the plan alone says: --hold d\n"), std::string::npos) << ran.out;
  EXPECT_NE(command.run({"check", "p.json", "more.csv", "--json"})
                .out.find("\"by_plan_alone\": [\"--hold d\"]"),
            std::string::npos);
  damage("\"hold\": [\"d\"]", "\"hold\": []");
  const Ran unasked = command.run({"check", "d.json", "more.csv"});
  EXPECT_EQ(unasked.status, 1);
  EXPECT_NE(unasked.out.find("it keeps it apart, held (7 bytes)"), std::string::npos)
      << unasked.out;
  EXPECT_EQ(command.run({"check", "d.json", "more.csv", "--hold", "d"}).status, 0);
  damage("\"why\": \"held\"", "\"why\": \"constant\"");
  EXPECT_EQ(command.run({"check", "d.json", "more.csv"}).status, 1);
}

TEST_F(CheckCommandTest, APlanThatPlacesNothingByItsOwnWordIsNo) {
  const std::vector<std::string> all = {"--hold", "a", "--hold", "b", "--hold", "c"};
  const auto with_all = [&](std::vector<std::string> words) {
    words.insert(words.end(), all.begin(), all.end());
    return command.run(words).status;
  };
  EXPECT_EQ(with_all({"plan", "t.csv", "-o", "p.json"}), 0);
  EXPECT_EQ(with_all({"check", "p.json", "t.csv"}), 0);
  const Ran ran = command.run({"check", "p.json", "t.csv"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("places nothing, by its own word alone (--hold a --hold b --hold c)"),
            std::string::npos)
      << ran.out;
}

TEST_F(CheckCommandTest, AScheduleThatIsNotPlannedIsToldToCheckAsToPlan) {
  test::Draft draft;
  const OpId a = draft.buffer("a", 300);
  command.write("s.json", write_schedule(draft.schedule({draft.call("k", {a})})));
  const std::vector<std::string> off = {"NO_MEMORY_PLANNER=1"};
  EXPECT_EQ(command.run({"plan", "s.json", "-o", "p.json"}, "", off).status, 0);
  EXPECT_EQ(command.run({"check", "p.json", "s.json"}).status, 1);
  EXPECT_EQ(command.run({"check", "p.json", "s.json"}, "", off).status, 0);
}

TEST_F(CheckCommandTest, APlanOfAnotherFileIsNoEvenWhereAllElseIsTheSame) {
  command.write("same.csv", command.read("t.csv") + "\n");
  const Ran ran = command.run({"check", "p.json", "same.csv"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("made from another file (sha256"), std::string::npos) << ran.out;
  std::string text = command.read("p.json");
  const auto at = text.find("\"sha256\": \"") + 11;
  command.write("d.json", text.erase(at, 64));
  const Ran unknown = command.run({"check", "d.json", "same.csv"});
  EXPECT_EQ(unknown.status, 0) << unknown.out;
  EXPECT_NE(unknown.err.find("does not say from which file"), std::string::npos) << unknown.err;
}

TEST_F(CheckCommandTest, TheOffsetsOfATableAreAnAnswerToItsInput) {
  EXPECT_EQ(command.run({"check", "placed.csv", "t.csv"}).status, 0);
  // Of another tool: other rows first, steps counted to the last one.
  command.write("u.csv", "id,start,end,size,offset\nc,2,3,100,0\nb,1,2,50,100\na,0,1,100,0\n");
  EXPECT_EQ(command.run({"check", "u.csv", "t.csv"}).status, 0);
  const auto against = [&](const std::string& rows) {
    command.write("u.csv", "id,lower,upper,size,offset\n" + rows);
    const Ran ran = command.run({"check", "u.csv", "t.csv"});
    EXPECT_EQ(ran.status, 1) << rows;
    return ran.out;
  };
  EXPECT_NE(against("a,0,2,100,0\nb,1,3,50,99\nc,2,4,100,0\n").find("share bytes [99, 100)"),
            std::string::npos);
  EXPECT_NE(against("a,0,2,100,0\nb,2,3,50,0\nc,2,4,100,100\n").find("b is live [1, 3) in the"),
            std::string::npos);
  EXPECT_NE(against("a,0,2,100,0\nb,1,3,49,100\nc,2,4,100,0\n").find("50 bytes in the input"),
            std::string::npos);
  EXPECT_NE(against("a,0,2,100,0\nb,1,3,50,100\n").find("does not place"), std::string::npos);
  EXPECT_NE(against("a,0,2,100,0\nb,1,3,50,100\nc,2,4,100,\n").find("c no offset"),
            std::string::npos);
  EXPECT_NE(against("a,0,2,100,0\nb,1,3,50,100\nc,2,4,100,0\nd,0,1,1,400\n").find("does not have"),
            std::string::npos);
  command.write("u.csv",
                "id,lower,upper,size,offset\na,0,2,100,18446744073709551600\nb,1,3,50,100\n"
                "c,2,4,100,0\n");
  EXPECT_EQ(command.run({"check", "u.csv", "t.csv"}).status, 3);
}

TEST_F(CheckCommandTest, ATableOfAnotherToolIsJudged) {
  command.write("u.csv", "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,50,96\n");
  const Ran ran = command.run({"check", "u.csv", "--json"});
  EXPECT_EQ(ran.status, 1);
  const auto document = JsonDocument::parse(ran.out, "out").value();
  EXPECT_FALSE(document.root().field("sound")->boolean());
  const auto faults = document.root().field("faults")->items();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].field("kind")->string(), "shared-bytes");
  EXPECT_EQ(faults[0].field("count")->integer(), 1u);
  EXPECT_NE(faults[0].field("message")->string().find("[96, 100)"), std::string_view::npos);
  EXPECT_EQ(document.root().field("mismatch")->kind(), JsonValue::Kind::Null);
}

TEST_F(CheckCommandTest, ATableWithoutAllItsOffsetsIsBadInput) {
  EXPECT_EQ(command.run({"check", "t.csv"}).status, 3);
  command.write("u.csv", "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,50,-1\n");
  const Ran ran = command.run({"check", "u.csv"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_NE(ran.err.find("buffer b has no offset"), std::string::npos);
}

TEST_F(CheckCommandTest, APlanForAnotherInputIsNo) {
  const auto against = [&](const std::string& input) {
    command.write("other.csv", "id,lower,upper,size\n" + input);
    const Ran ran = command.run({"check", "p.json", "other.csv"});
    EXPECT_EQ(ran.status, 1) << input;
    return ran.out;
  };
  EXPECT_NE(against("a,0,2,100\nb,1,3,50\nd,2,4,100\n").find("buffer d"), std::string::npos);
  EXPECT_NE(against("a,0,2,101\nb,1,3,50\nc,2,4,100\n").find("buffer a has 101 bytes"),
            std::string::npos);
  EXPECT_NE(against("a,0,3,100\nb,1,3,50\nc,2,4,100\n").find("buffer a is live [0, 3)"),
            std::string::npos);
  EXPECT_NE(against("a,0,2,100\nb,1,3,50\n").find("buffer c"), std::string::npos);
}

TEST_F(CheckCommandTest, ACapacityLimitsThePlan) {
  EXPECT_EQ(command.run({"check", "p.json", "--capacity", "150"}).status, 0);
  EXPECT_EQ(command.run({"check", "p.json", "--capacity", "149"}).status, 1);
  EXPECT_EQ(command.run({"check", "p.json", "--capacity", "160", "--reserve", "11"}).status, 1);
}

TEST_F(CheckCommandTest, WhatHoldsNoPlanIsBadInput) {
  damage("\"seed\": 0", "\"luck\": 0");
  const Ran missing = command.run({"check", "d.json", "--json"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_TRUE(missing.out.starts_with("{\"error\": {\"kind\": \"input\", \"where\": \"d.json:"))
      << missing.out;
  command.write("s.json", R"({"format": "berth.schedule/1", "ops": [], "root": 0})");
  EXPECT_EQ(command.run({"check", "s.json"}).status, 3);
  EXPECT_EQ(command.run({"check", "none.json"}).status, 3);
  EXPECT_EQ(command.run({"check", "p.json", "none.csv"}).status, 3);
}

}  // namespace
}  // namespace berth
