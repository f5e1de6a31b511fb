#include <gtest/gtest.h>

#include <set>

#include "berth/render/map_html.h"
#include "berth/render/map_layout.h"
#include "berth/render/map_svg.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"
#include "tests/render/golden.h"
#include "tests/render/plans.h"
#include "tests/support/xml.h"

namespace berth {
namespace {

using test::arena;
using test::buffer;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    ++count;
  }
  return count;
}

// Buffer i lives in steps [i / 8, i / 8 + 8) and has the bytes of lane i % 64.
Plan lanes(std::size_t buffers) {
  Plan plan = test::plan_of(arena(64 * 16), {});
  for (std::size_t i = 0; i < buffers; ++i) {
    plan.buffers.push_back(
        buffer("t" + std::to_string(i), {i / 8, i / 8 + 8}, 1 + i % 16, i % 64 * 16));
  }
  test::set_figures(plan);
  return plan;
}

TEST(MapLayout, ARectangleIsAsWideAsTheLifeAndAsTallAsTheBytes) {
  const Plan plan = test::five_boxes();
  const MapLayout layout = layout_map(plan);
  const MapPanel& panel = layout.panels[0];
  ASSERT_EQ(panel.tiles.size(), 5U);
  for (const MapTile& drawn : panel.tiles) {
    const PlannedBuffer& b = plan.buffers[drawn.tile.buffer];
    EXPECT_EQ(drawn.box.x, layout.x(b.life.lower));
    EXPECT_EQ(drawn.box.x + drawn.box.width, layout.x(b.life.upper));
    EXPECT_EQ(drawn.box.y, panel.y(b.offset.value() + b.bytes.count()));
    EXPECT_EQ(drawn.box.y + drawn.box.height, panel.y(b.offset.value()));
  }
  EXPECT_EQ(panel.top, 12U);
  EXPECT_EQ(panel.y(0), panel.plot.y + panel.plot.height);
  EXPECT_GT(panel.y(4), panel.y(8));
  EXPECT_EQ(panel.y(4) - panel.y(8), panel.y(8) - panel.y(12));
}

TEST(MapLayout, ABufferWithGapsHasARectangleForEachStretch) {
  PlannedBuffer a = buffer("a", {0, 9}, 8, 0);
  a.gaps = {{{2, 4}, std::nullopt}, {{6, 7}, ByteRange{1, 3}}};
  const MapLayout layout = layout_map(test::plan_of(arena(8), {a}));
  ASSERT_EQ(layout.panels[0].tiles.size(), 4U);
  EXPECT_EQ(layout.panels[0].tiles[2].tile.bytes, (ByteRange{1, 3}));
}

TEST(MapLayout, TheLargestOfTooManyRectanglesAreDrawnAndTheOthersMerged) {
  const MapLayout layout = layout_map(lanes(30000));
  const MapPanel& panel = layout.panels[0];
  EXPECT_EQ(panel.tiles.size(), 20000U);
  EXPECT_EQ(panel.merged.size(), 10000U);
  EXPECT_FALSE(panel.crumbs.empty());
  const std::string svg = plan_map_svg(lanes(30000));
  EXPECT_NE(svg.find("Grey: the 10000 smallest rectangles, merged."), std::string::npos);
  EXPECT_LT(svg.size(), 10'000'000U);
  EXPECT_LT(plan_map_html(lanes(30000)).size(), 10'000'000U);
}

TEST(MapLayout, BytesThatTwoBuffersShareAreMarked) {
  Plan plan = test::five_boxes();
  plan.buffers[1].offset = Offset(6);
  const MapLayout layout = layout_map(plan);
  EXPECT_FALSE(layout.sound);
  ASSERT_EQ(layout.panels[0].meetings.size(), 1U);
  const Box& met = layout.panels[0].meetings[0];
  EXPECT_EQ(met.x, layout.x(3));
  EXPECT_EQ(met.y, layout.panels[0].y(8));
  EXPECT_NE(plan_map_svg(plan).find("This plan is not sound."), std::string::npos);
}

TEST(MapSvg, TheCapacityIsALineAboveTheArenaUnlessItIsFarAbove) {
  Plan plan = test::plan_of(arena(100), {buffer("a", {0, 1}, 100, 0)});
  EXPECT_EQ(plan_map_svg(plan).find("usable"), std::string::npos);
  plan.arenas[0].capacity = Bytes(140);
  plan.arenas[0].reserve = Bytes(10);
  EXPECT_EQ(layout_map(plan).panels[0].top, 130U);
  EXPECT_NE(plan_map_svg(plan).find("usable: 130 B"), std::string::npos);
  plan.arenas[0].capacity = Bytes(10'000);
  EXPECT_EQ(layout_map(plan).panels[0].top, 100U);
  EXPECT_NE(plan_map_svg(plan).find("usable 9990 B"), std::string::npos);
}

TEST(MapSvg, WideLettersAreMeasuredAsWideAndEachCharacterOnce) {
  EXPECT_GT(length_of("wmwmwm"), 6 * kLetter);
  EXPECT_LT(length_of("ililil"), 6 * kLetter);
  EXPECT_EQ(length_of("\xC3\xA9\xC3\xA9"), 2 * length_of("\xC3\xA9"));
}

TEST(MapSvg, FiveBoxes) {
  test::expect_golden("five.map.svg", plan_map_svg(test::five_boxes()));
}

TEST(MapSvg, ViewsTakersGapsAndTwoArenas) {
  test::expect_golden("everything.map.svg", plan_map_svg(test::everything()));
}

TEST(MapSvg, IsWellFormedForAnyPlanWithATitleARectangle) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) {
    const Plan plan = test::random_sound_plan(random);
    std::size_t tiles = 0;
    for (const Occupancy& occupancy : occupancy_of(plan)) tiles += occupancy.tiles.size();
    const std::string svg = plan_map_svg(plan);
    EXPECT_EQ(test::xml_fault(svg), "");
    EXPECT_EQ(count_of(svg, "<title>"), tiles);
    EXPECT_EQ(svg, plan_map_svg(plan));
    EXPECT_EQ(test::xml_fault(plan_map_svg(test::mutant_of(plan, random))), "");
  }
}

TEST(MapSvg, AnEmptyPlanAndAnEmptyArenaAreDrawnToo) {
  EXPECT_EQ(test::xml_fault(plan_map_svg(Plan())), "");
  EXPECT_EQ(test::xml_fault(plan_map_svg(test::plan_of(arena(0), {}))), "");
  EXPECT_EQ(test::xml_fault(plan_map_svg(test::plan_of(arena(0), {buffer("z", {0, 1}, 0, 0)}))),
            "");
}

TEST(MapSvg, NamesOfAnyBytesDoNotBreakIt) {
  Plan plan = test::everything();
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  plan.buffers[0].name = every_byte;
  plan.buffers[1].name = "</title></svg><script>alert(1)</script>";
  plan.buffers[2].name = std::string(100000, '&');
  plan.arenas[0].device = "\"><script>alert(2)</script>";
  plan.source.file = "<!--\xFF";
  plan.ordering = "]]>";
  plan.packer = every_byte;
  plan.step_names = {every_byte, "</script>", every_byte};
  EXPECT_EQ(test::xml_fault(plan_map_svg(plan)), "");
  EXPECT_EQ(plan_map_svg(plan).find("<script"), std::string::npos);
  const std::string page = plan_map_html(plan);
  EXPECT_EQ(count_of(page, "<script"), 1U);
  EXPECT_EQ(count_of(page, "</script"), 1U);
  EXPECT_EQ(count_of(page, "<!--"), 0U);
}

TEST(MapSvg, AClockOf64BitsIsDrawnAndSaidToBeMerged) {
  constexpr Step end = ~Step{0};
  const Plan plan = test::plan_of(
      arena(~std::uint64_t{0}),
      {buffer("a", {0, end}, std::uint64_t{1} << 63, 0),
       buffer("b", {end - 7, end}, (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 63)});
  const std::string svg = plan_map_svg(plan);
  EXPECT_EQ(test::xml_fault(svg), "");
  EXPECT_NE(svg.find("not to scale"), std::string::npos);
}

TEST(XmlFault, SeesWhatIsNotWellFormed) {
  EXPECT_EQ(test::xml_fault("<a b=\"1\"><c/>x &amp; y</a>"), "");
  for (const char* bad :
       {"", "<a>", "<a></b>", "<a/><b/>", "<a>&</a>", "<a>&x;</a>", "<a b=\"<\"/>", "<a b=1/>",
        "<a b=\"1\" b=\"2\"/>", "<a>\x01</a>", "<a>\xFF</a>"}) {
    EXPECT_NE(test::xml_fault(bad), "") << bad;
  }
}

TEST(MapHtml, NeedsNothingFromElsewhere) {
  const std::string page = plan_map_html(test::everything());
  std::string rest = page;
  for (const std::string name : {"http://www.w3.org/2000/svg"}) {
    for (std::size_t at = 0; (at = rest.find(name)) != std::string::npos;) {
      rest.erase(at, name.size());
    }
  }
  EXPECT_EQ(rest.find("http"), std::string::npos);
  EXPECT_EQ(rest.find("src="), std::string::npos);
  EXPECT_EQ(rest.find("@import"), std::string::npos);
  EXPECT_EQ(page, plan_map_html(test::everything()));
}

// Of 30,000 rectangles 10,000 are not drawn one by one, of 70 arenas 6 are not drawn at all; one
// buffer has no bytes, one a name that no label could hold. Each is found, and counts as live.
TEST(MapHtml, EveryBufferHasAnEntryDrawnOrNot) {
  const std::string long_name = std::string(300, 'x') + "MIDDLE" + std::string(300, 'y');
  Plan plan = lanes(30000);
  plan.buffers.push_back(buffer(long_name, {0, 1}, 0, 0));
  for (std::size_t i = 1; i < 70; ++i) {
    plan.arenas.push_back(arena(8));
    plan.buffers.push_back(buffer("in" + std::to_string(i), {0, 1}, 8, 0));
    plan.buffers.back().arena = i;
  }
  const std::string page = plan_map_html(plan);
  std::size_t with_stretch = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const std::string entry = "\n[" + std::to_string(i) + "," +
                              std::to_string(plan.buffers[i].arena) + "," +
                              json_text(plan.buffers[i].name) + ",";
    const auto at = page.find(i == 0 ? entry.substr(1) : entry);
    ASSERT_NE(at, std::string::npos) << entry;
    const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    with_stretch += line.find(",[],") == std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(with_stretch, 30000U + 63U);  // not the one without bytes, not those in arenas left out
}

TEST(MapHtml, EveryRectangleOfABufferBearsItsIndexAndHasAnEntry) {
  const Plan plan = test::everything();
  const std::string page = plan_map_html(plan);
  const MapLayout layout = layout_map(plan);
  for (const MapPanel& panel : layout.panels) {
    std::set<std::size_t> seen;
    for (const MapTile& drawn : panel.tiles) seen.insert(drawn.tile.buffer);
    for (const std::size_t index : seen) {
      EXPECT_NE(page.find("data-b=\"" + std::to_string(index) + "\""), std::string::npos);
      const std::string entry = "[" + std::to_string(index) + "," + std::to_string(panel.arena) +
                                "," + json_text(plan.buffers[index].name) + ",";
      EXPECT_EQ(count_of(page, entry), 1U) << entry;
    }
  }
}

}  // namespace
}  // namespace berth
