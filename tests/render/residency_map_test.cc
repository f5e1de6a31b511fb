#include "berth/render/residency_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "berth/pipeline/reside_file.h"
#include "berth/render/residency_table.h"
#include "tests/support/xml.h"

namespace berth {
namespace {

ResidedFile resided(const std::string& input, const std::string& target,
                    const ResideOptions& options = {}) {
  auto answer = reside_file({"d.json", input}, {"t.toml", target}, options);
  EXPECT_TRUE(answer) << to_string(answer.error());
  return std::get<ResidedFile>(*std::move(answer));
}

std::string target(std::uint64_t sram, std::uint64_t chips = 1) {
  return "name = 'a<b'\nany_site_reaches_any = true\nhbm_gb_per_s = 1\n[[chip]]\ncount = " +
         std::to_string(chips) +
         "\nhbm_bytes = 1000\n[[chip.sites]]\nbytes = " + std::to_string(sram) + "\n";
}

std::string svg(const ResidedFile& file) {
  return residency_svg(file.answer, file.deployment, file.target);
}

const std::string kStates =
    R"({"format": "berth.deployment/1", "name": "d & \u0007", "reserve": [100], "classes": [
  {"program": "m<x>", "tensor": "a", "instances": 4, "bytes": 100, "moved": 200},
  {"program": "m<x>", "tensor": "b", "instances": 4, "bytes": 100, "moved": 150},
  {"program": "m<x>", "tensor": "none", "instances": 1, "bytes": 0, "moved": 0}]})";

const std::string kProgram =
    R"({"format": "berth.program/1", "name": "p", "tensors": [
  {"name": "h\u0000", "kind": "intermediate", "bytes": 30},
  {"name": "g\"'", "kind": "intermediate", "bytes": 30}],
 "phases": [{"name": "up", "body": [{"write": "h\u0000", "bytes": 30}]},
            {"name": "mix", "body": [{"read": "h\u0000", "bytes": 30}, {"write": "g\"'", "bytes": 30}]},
            {"name": "down", "body": [{"read": "g\"'", "bytes": 30}]}]})";

TEST(ResidencyMap, IsXmlWhateverNamesHold) {
  for (const std::uint64_t sram : {1U, 59U, 500U, 100'000U}) {
    for (const std::string& input : {kStates, kProgram}) {
      for (const bool split : {false, true}) {
        const ResidedFile file =
            resided(input, target(sram, 3), {.policy = Policy::Best, .split = split});
        EXPECT_EQ(test::xml_fault(svg(file)), "");
      }
    }
  }
}

TEST(ResidencyMap, ThePageHasTheTableLineByLine) {
  const ResidedFile file = resided(kStates, target(550));
  const std::string page = residency_html(file.answer, file.deployment, file.target);
  EXPECT_EQ(page.find("\\x0A"), std::string::npos);
  EXPECT_NE(page.find("\\x07"), std::string::npos) << "what a name holds stays visible";
  const auto table = page.substr(page.find("<pre>"));
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 4);
}

TEST(ResidencyMap, TheLadderShowsTheCutTheReserveAndTheRest) {
  const ResidedFile whole = resided(kStates, target(550));
  const std::string picture = svg(whole);
  EXPECT_NE(picture.find("end of the SRAM"), std::string::npos);
  EXPECT_NE(picture.find("reserve 100 B"), std::string::npos);
  EXPECT_NE(picture.find("class=\"off hbm\""), std::string::npos);
  const ResidedFile split = resided(kStates, target(700), {.policy = Policy::Best, .split = true});
  EXPECT_NE(svg(split).find("2 of 4 in sram"), std::string::npos) << svg(split);
}

TEST(ResidencyMap, ABarThatGoesOnPastTheEdgeIsTornAndOneThatEndsThereIsNot) {
  // Of an SRAM of 150, 200 bytes are the width of the plot: the state of 400 past the reserve.
  const std::string cut = svg(resided(kStates, target(150)));
  EXPECT_NE(cut.find("class=\"torn\""), std::string::npos) << cut;
  EXPECT_NE(cut.find("goes on past the edge"), std::string::npos);
  EXPECT_EQ(svg(resided(kStates, target(900))).find("class=\"torn\""), std::string::npos);
}

TEST(ResidencyMap, TheTierMapShowsWhatStaysAndWhatLeaves) {
  const std::string all = svg(resided(kProgram, target(60)));
  EXPECT_NE(all.find("phases 0 to 1, at "), std::string::npos) << all;
  EXPECT_EQ(all.find("off chip</title>"), std::string::npos);
  const std::string one = svg(resided(kProgram, target(59)));
  EXPECT_NE(one.find("phases 1 to 2, off chip"), std::string::npos) << one;
}

TEST(ResidencyMap, ThePageHoldsTheTableToo) {
  const ResidedFile file = resided(kProgram, target(59));
  const std::string page = residency_html(file.answer, file.deployment, file.target);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("pushed out at"), std::string::npos);
  EXPECT_NE(page.find("stays from an SRAM of 60"), std::string::npos) << page;
}

}  // namespace
}  // namespace berth
