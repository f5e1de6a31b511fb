#include "berth/formats/target_toml.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

const std::string kGood =
    "name = \"t\"\nany_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 10\n";

TEST(Target, ThatIsNoTomlIsRefused) {
  EXPECT_TRUE(read_target(kGood, "t.toml"));
  for (const char* end : {"[\n", "[[\n", "[.a]\n", "= 4\n", "[chip", "a.\n", "b = [\n", "[", "'"}) {
    const auto target = read_target(kGood + end, "t.toml");
    ASSERT_FALSE(target) << end;
    EXPECT_EQ(target.error().kind, Error::Kind::Input) << end;
    EXPECT_TRUE(target.error().where.starts_with("t.toml:6:")) << target.error().where;
  }
}

TEST(Target, ThatSaysWhatItMayNotIsRefusedWithTheKey) {
  for (const char* end :
       {"[[chip]]\n", "count = 0\n", "[[chip]]\ncount = -1\n", "[[chip]]\nhbm_bytes = 1.5\n",
        "[[chip]]\nalignment = 3\n", "[[chip]]\nunknown = 1\n", "[[chip]]\nhbm_gb_per_s = nan\n",
        "[[chip]]\nreserved_bytes = 99\n[[chip.sites]]\nbytes = 1\n"}) {
    EXPECT_FALSE(read_target(kGood + end, "t.toml")) << end;
  }
}

TEST(Target, ThatIsRefusedSaysWhatWasFoundAndWhatToDo) {
  for (const auto& [end, found] :
       {std::pair("count = -1\n", "found -1, expected an integer from 1 to 4096"),
        std::pair("hbm_bytes = \"4\"\n", "found \"4\", expected an integer"),
        std::pair("hbm_gb_per_s = 1e300\n",
                  "found 1e+300, expected a number of GB/s above 0, and "),
        std::pair("hbm_gb_per_s = -2\n", "found -2, expected a number of GB/s above 0, and ")}) {
    const auto target = read_target(kGood + "[[chip]]\n" + end, "t.toml");
    ASSERT_FALSE(target);
    EXPECT_NE(target.error().message.find(found), std::string::npos) << target.error().message;
    EXPECT_FALSE(target.error().hint.empty()) << end;
  }
}

TEST(Target, SaysForAllChipsWhatTheyDoNotSayThemselves) {
  const auto target = read_target(
      "name = \"t\"\nany_site_reaches_any = true\nhbm_gb_per_s = 1.5\n"
      "alignment = 64\n[[chip]]\nalignment = 16\n[[chip.sites]]\n"
      "bytes = 1\n[[chip]]\nhbm_gb_per_s = 2\n[[chip.sites]]\n"
      "bytes = 1\n",
      "t.toml");
  ASSERT_TRUE(target) << to_string(target.error());
  EXPECT_EQ(target->chips[0].hbm_speed, 1'500'000'000u);
  EXPECT_EQ(target->chips[1].hbm_speed, 2'000'000'000u);
  EXPECT_EQ(target->chips[0].alignment, Alignment::of(16));
  EXPECT_EQ(target->chips[1].alignment, Alignment::of(64));
}

}  // namespace
}  // namespace berth
