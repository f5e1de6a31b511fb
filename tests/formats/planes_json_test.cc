#include "berth/formats/planes_json.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/arenas.h"

namespace berth {
namespace {

Result<PlaneTable> read(const std::string& text) {
  auto document = JsonDocument::parse(text, "p.json");
  if (!document) return tl::unexpected(document.error());
  return read_planes(*document);
}

std::string refusal(const std::string& text) {
  const auto planes = read(text);
  EXPECT_FALSE(planes) << text;
  return planes ? "" : to_string(planes.error());
}

// The refusal of these fields behind the format's.
std::string refused(const std::string& fields) {
  return refusal("{\"format\": \"berth.planes/1\",\n" + fields + "}");
}

TEST(PlanesReader, ReadsTheExampleOfTheFormat) {
  const auto planes = read(R"({"format": "berth.planes/1", "alignment": 256,
 "windows": [{"address": 4096, "bytes": 65536}],
 "globals": [{"name": "weights", "address": 4096, "bytes": 1024}],
 "phases": [{"phase": "layer0", "planes": [{"name": "q", "address": "0x2000", "bytes": 512, "carried": false}]}]})");
  ASSERT_TRUE(planes) << to_string(planes.error());
  const auto same =
      PlaneTable::make(256, {{Address(4096), Bytes(65536)}}, {test::range("weights", 4096, 1024)},
                       {{"layer0", {test::fresh(test::range("q", 8192, 512))}}});
  EXPECT_EQ(*planes, *same);
}

TEST(PlanesReader, WindowsGlobalsAndCarriedMayBeLeftOut) {
  const auto planes = read(
      R"({"format": "berth.planes/1", "alignment": 1, "phases": [{"phase": "", "planes": []}]})");
  ASSERT_TRUE(planes);
  EXPECT_TRUE(planes->windows().empty());
  EXPECT_TRUE(planes->globals().empty());
  EXPECT_EQ(planes->find(""), PhaseId(0));
}

TEST(PlanesReader, NumbersAreExactToTheLastAddress) {
  const auto planes = read(
      R"({"format": "berth.planes/1", "alignment": 18446744073709551615, "phases": [],
          "windows": [{"address": 18446744073709551615, "bytes": 1}]})");
  ASSERT_TRUE(planes) << to_string(planes.error());
  EXPECT_EQ(planes->alignment(), UINT64_MAX);
  EXPECT_EQ(planes->windows()[0].address, Address(UINT64_MAX));
}

TEST(PlanesReader, RefusesWhatIsMissingUnknownOrOfAnotherType) {
  EXPECT_EQ(refused(R"("phases": [])"),
            "p.json:1:1: alignment: is missing, expected an integer (add it)");
  EXPECT_EQ(refused(R"("alignment": 1)"),
            "p.json:1:1: phases: is missing, expected an array (add it)");
  EXPECT_TRUE(refused(R"("alignment": 1, "phases": [], "extra": 1)")
                  .starts_with("p.json:2:40: extra: is not a field"));
  EXPECT_TRUE(refused(R"("alignment": 1, "phases": [{"phase": "a"}])")
                  .starts_with("p.json:2:28: phases[0].planes: is missing"));
  EXPECT_TRUE(refused(R"("alignment": 1, "phases": [], "globals": [{"name": "g", "bytes": 1}])")
                  .starts_with("p.json:2:43: globals[0].address: is missing"));
  EXPECT_TRUE(
      refused(
          R"("alignment": 1, "phases": [], "globals": [{"name": "g", "address": -1, "bytes": 1}])")
          .starts_with("p.json:2:68: globals[0].address: found -1, expected an address"));
  EXPECT_TRUE(
      refused(
          R"("alignment": 1, "phases": [{"phase": "a", "planes": [{"name": "x", "address": 0, "bytes": 1, "carried": 1}]}])")
          .starts_with("p.json:2:105: phases[0].planes[0].carried: found 1, expected true or"));
  EXPECT_TRUE(refusal(R"({"format": "berth.planes/2"})")
                  .starts_with("p.json:1:12: format: found \"berth.planes/2\", expected "));
}

TEST(PlanesReader, RefusesATableThatMeansNothing) {
  EXPECT_EQ(refused(R"("alignment": 0, "phases": [])"),
            "p.json:2:14: alignment: found 0, expected at least 1");
  EXPECT_TRUE(refused(R"("alignment": 1, "phases": [], "windows": [{"address": 1, "bytes": 0}])")
                  .starts_with("p.json:2:67: windows[0].bytes: found 0, expected at least 1"));
  EXPECT_TRUE(
      refused(
          R"("alignment": 1, "phases": [], "windows": [{"address": 18446744073709551615, "bytes": 2}])")
          .starts_with("p.json:2:86: windows[0].bytes: 0xffffffffffffffff and 2 bytes end past"));
  EXPECT_TRUE(
      refused(
          R"("alignment": 1, "phases": [{"phase": "a", "planes": []}, {"phase": "a", "planes": []}])")
          .starts_with("p.json:2:68: phases[1].phase: phase 'a' is declared by phases[0] already"));
}

TEST(PlanesReader, AnUnsoundTableIsRead) {
  EXPECT_TRUE(read(
      R"({"format": "berth.planes/1", "alignment": 4096, "phases": [],
          "globals": [{"name": "g", "address": 1, "bytes": 0},
                      {"name": "g", "address": 18446744073709551615, "bytes": 9}]})"));
}

TEST(PlanesWriter, WhatItWritesReadsBack) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const PlaneTable planes = test::random_arena(random).planes();
    const auto again = read(write_planes(planes));
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(*again, planes);
  }
}

}  // namespace
}  // namespace berth
