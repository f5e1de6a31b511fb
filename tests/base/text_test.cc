#include "berth/base/text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Printable, PlainAndForeignTextStaysAsItIs) {
  EXPECT_EQ(printable("conv1/bias:0"), "conv1/bias:0");
  EXPECT_EQ(printable("Größe \xE2\x82\xAC \xF0\x9F\x9A\xA2"),
            "Größe \xE2\x82\xAC \xF0\x9F\x9A\xA2");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1B[2Jb\n"), "a\\x1B[2Jb\\x0A");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xC2\\x9B");  // the one-character form of ESC [
}

TEST(Printable, MarksThatTurnTheDirectionAreWrittenOut) {
  EXPECT_EQ(printable("\xE2\x80\xAE"), "\\xE2\\x80\\xAE");
}

TEST(Printable, WhatIsNotUtf8IsWrittenOut) {
  EXPECT_EQ(printable("\xFF"), "\\xFF");
  EXPECT_EQ(printable("\xC0\xAF"), "\\xC0\\xAF");           // not the shortest form of /
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // half of a pair
  EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82");           // cut short
  EXPECT_EQ(printable("\xEF\xBF\xBF"), "\\xEF\\xBF\\xBF");  // XML has no such character
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
}

TEST(IsUtf8, TakesEveryWellFormedCharacterAndNothingElse) {
  for (const std::string_view text :
       {"", "a\n\x1B", "\xC3\xA9", "\xE2\x82\xAC", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBE"}) {
    EXPECT_TRUE(is_utf8(text)) << printable(text);
  }
  EXPECT_TRUE(is_utf8(std::string_view("\0", 1)));
  for (const std::string_view text :
       {"\xFF", "a\x80", "\xC0\xAF", "\xED\xA0\x80", "\xE2\x82", "\xF4\x90\x80\x80", "\xC3("}) {
    EXPECT_FALSE(is_utf8(text)) << printable(text);
  }
}

}  // namespace
}  // namespace berth
