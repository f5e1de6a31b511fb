#include "berth/formats/toml_depth.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/formats/target_toml.h"

namespace berth {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string whole;
  for (std::size_t i = 0; i < times; ++i) whole += text;
  return whole;
}

std::string place_of_fault(const std::string& text) {
  const auto fault = find_toml_depth_fault(text, "t.toml");
  return fault ? fault->where : "";
}

TEST(TomlDepth, AKeyOfManyPartsIsRefusedBeforeItIsParsed) {
  for (const auto& [head, tail] : {std::pair("", "b = 1\n"), std::pair("[", "b]\n"),
                                   std::pair("[[", "b]]\n"), std::pair("x = {", "b = 1}\n")}) {
    const std::string text = std::string("name = \"t\"\n") + head + repeated("a.", 400'000) + tail;
    const auto target = read_target(text, "t.toml");
    ASSERT_FALSE(target);
    EXPECT_TRUE(target.error().where.starts_with("t.toml:2:")) << target.error().where;
    EXPECT_NE(target.error().message.find("more than 16 parts"), std::string::npos)
        << target.error().message;
    EXPECT_FALSE(target.error().hint.empty());
  }
}

TEST(TomlDepth, PartsAreCountedHoweverTheyAreWritten) {
  EXPECT_EQ(place_of_fault(repeated("a.", 15) + "a = 1\n"), "");
  EXPECT_EQ(place_of_fault(repeated("a.", 16) + "a = 1\n"), "t.toml:1:32");
  EXPECT_EQ(place_of_fault(repeated("a . ", 16) + "a = 1\n"), "t.toml:1:63");
  EXPECT_EQ(place_of_fault(repeated("\"b\\\"\" . ", 16) + "a = 1\n"), "t.toml:1:127");
  EXPECT_EQ(place_of_fault(repeated("'b\\'.", 16) + "a = 1\n"), "t.toml:1:80");
  EXPECT_EQ(place_of_fault("n = \"\"\"\"\"\"\"\"\n" + repeated("a.", 16) + "a = 1\n"),
            "t.toml:2:32");
  EXPECT_EQ(place_of_fault("n = 'open\n" + repeated("a.", 16) + "a = 1\n"), "t.toml:2:32");
}

TEST(TomlDepth, ListsAndTablesInsideEachOtherAreCounted) {
  EXPECT_EQ(place_of_fault("a = " + repeated("[", 16) + repeated("]", 16) + "\n"), "");
  EXPECT_EQ(place_of_fault("a = " + repeated("[\n", 17)), "t.toml:17:1");
  EXPECT_EQ(place_of_fault("a = " + repeated("{a = ", 17)), "t.toml:1:85");
  EXPECT_EQ(place_of_fault(repeated("[[chip]]\n[[chip.sites]]\n", 1000)), "");
}

TEST(TomlDepth, WhatStandsInStringsAndCommentsDoesNotCount) {
  const std::string much = repeated("a.[{", 40);
  for (const std::string& text :
       {"# " + much + "\n", "n = \"" + much + "\"\n", "n = '" + much + "'\n",
        "n = \"\\\"" + much + "\"\n", "n = \"\"\"\n\" \"\" \\\"\"\"" + much + "\"\"\"\"\"\n",
        "n = '''\n' ''" + much + "\n''''\n", "\"" + much + "\" = 1\n",
        "n = '\\' # " + much + "\n"}) {
    EXPECT_EQ(place_of_fault(text), "") << text;
  }
}

// The same quotes, read by the parser: a string that it ends elsewhere would hide what follows.
TEST(TomlDepth, AStringEndsWhereTheParserEndsIt) {
  const std::string rest = "any_site_reaches_any = true\n[[chip]]\n[[chip.sites]]\nbytes = 10\n";
  for (const char* name :
       {"\"\"\"a\"\"\"", "\"\"\"a\"\"\"\"\"", "\"\"\"\\\"\"\"\"", "'''a'''''", "''", "\"\"", "'\\'",
        "\"\\\\\"", "\"\"\"\"\"\"", "''''''''", "'a' # '"}) {
    const std::string head = std::string("name = ") + name + "\n";
    ASSERT_TRUE(read_target(head + rest, "t.toml")) << name;
    const auto deep = read_target(head + repeated("a.", 16) + "a = 1\n" + rest, "t.toml");
    ASSERT_FALSE(deep) << name;
    EXPECT_EQ(deep.error().where, "t.toml:2:32") << name;
  }
}

}  // namespace
}  // namespace berth
