#include "berth/render/map_text.h"

#include <gtest/gtest.h>

#include "berth/render/text.h"
#include "tests/render/golden.h"
#include "tests/render/plans.h"

namespace berth {
namespace {

TEST(MapText, FiveBoxes) {
  test::expect_golden("five.map.txt", plan_map_text(test::five_boxes(), 60, 6));
}

TEST(MapText, TwoArenas) {
  test::expect_golden("everything.map.txt", plan_map_text(test::everything(), 80, 7));
}

TEST(MapText, ColourAddsEscapesAndNothingElse) {
  std::string coloured = plan_map_text(test::five_boxes(), 60, 6, Colour::On);
  EXPECT_NE(coloured.find('\x1B'), std::string::npos);
  for (std::size_t at = 0; (at = coloured.find('\x1B')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  std::string bare;  // a line that ends in a reset keeps its spaces
  std::string line;
  for (const char byte : coloured) {
    line += byte;
    if (byte != '\n') continue;
    line.pop_back();
    line.erase(line.find_last_not_of(' ') + 1);
    bare += line + "\n";
    line.clear();
  }
  EXPECT_EQ(bare, plan_map_text(test::five_boxes(), 60, 6));
}

TEST(MapText, NoLineIsWiderThanAsked) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 60; ++i) {
    const Plan plan = test::mutant_of(test::random_sound_plan(random), random);
    for (const std::size_t width : {0, 40, 57, 120}) {
      const std::string text = plan_map_text(plan, width, 5);
      std::size_t from = 0;
      for (std::size_t at = 0; (at = text.find('\n', from)) != std::string::npos; from = at + 1) {
        const std::string line = text.substr(from, at - from);
        if (line.find('|') == std::string::npos) continue;  // the heading
        EXPECT_LE(width_of(line), std::max<std::size_t>(width, 40)) << line;
      }
    }
  }
}

TEST(MapText, AnEmptyPlanSaysSo) {
  EXPECT_EQ(plan_map_text(Plan(), 80, 10), "nothing is planned\n");
  EXPECT_NE(plan_map_text(test::plan_of(test::arena(0), {}), 80, 10), "");
}

}  // namespace
}  // namespace berth
