#include "berth/formats/json.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::string refusal(const std::string& text) {
  const auto document = JsonDocument::parse(text, "f.json");
  EXPECT_FALSE(document) << text;
  return document ? "" : document.error().where + ": " + document.error().message;
}

TEST(Json, IntegersAreExactTo64Bits) {
  const auto document = JsonDocument::parse("[18446744073709551615, 9007199254740993, 0]", "f");
  const auto items = document->root().items();
  EXPECT_EQ(items[0].integer(), UINT64_MAX);
  EXPECT_EQ(items[1].integer(), 9007199254740993u);
  EXPECT_EQ(items[2].integer(), 0u);
}

TEST(Json, OtherNumbersKeepTheirText) {
  const auto document = JsonDocument::parse("[18446744073709551616, -1, 1.0, 1e3]", "f");
  const auto items = document->root().items();
  for (const JsonValue& item : items) EXPECT_EQ(item.kind(), JsonValue::Kind::OtherNumber);
  EXPECT_EQ(items[0].text(), "18446744073709551616");
  EXPECT_EQ(items[1].text(), "-1");
  EXPECT_EQ(items[2].text(), "1.0");
}

TEST(Json, ANumberIsShownAsItIsWrittenAndCutWhereItIsLong) {
  const auto shown = [](const std::string& text) {
    return JsonDocument::parse(text, "f.json").value().root().text();
  };
  EXPECT_EQ(shown("-0"), "-0");
  EXPECT_EQ(shown("-12"), "-12");
  EXPECT_EQ(refusal("[1,\n 1e999]"),
            "f.json:2:2: found 1e999, expected a number that 64 bits hold");
  EXPECT_EQ(refusal(std::string(400, '7')), "f.json:1:1: found " + std::string(60, '7') +
                                                "..., expected a number that 64 bits hold");
  EXPECT_LT(refusal("[" + std::string(100'000, 'x') + "]").size(), 500u);
}

TEST(Json, EachValueKnowsWhereItStands) {
  const auto document =
      JsonDocument::parse("{\"a\": 12,\n \"b\" : [ true,null, \"x\" ]}", "f.json");
  const JsonValue root = document->root();
  EXPECT_EQ(root.position(), "1:1");
  EXPECT_EQ(root.field("a")->position(), "1:7");
  const auto items = root.field("b")->items();
  EXPECT_EQ(root.field("b")->where(), "f.json:2:8");
  EXPECT_EQ(items[0].position(), "2:10");
  EXPECT_EQ(items[1].position(), "2:15");
  EXPECT_EQ(items[2].position(), "2:21");
}

TEST(Json, StringsAreReadWithTheirEscapes) {
  const auto document = JsonDocument::parse(R"(["a\"\\\u00e9\ud83d\udea2\u0000"])", "f");
  EXPECT_EQ(document->root().items()[0].string(),
            std::string_view("a\"\\\xC3\xA9\xF0\x9F\x9A\xA2\0", 10));
}

TEST(Json, ADuplicateKeyIsRefusedWhereItStandsTheSecondTime) {
  EXPECT_EQ(refusal("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"),
            "f.json:3:7: the key \"a\" stands twice in one object");
  EXPECT_EQ(refusal(R"({"a": 1, "\u0061": 3})"),
            "f.json:1:20: the key \"a\" stands twice in one object");
  EXPECT_TRUE(JsonDocument::parse(R"([{"a": 1}, {"a": {"a": 2}}])", "f"));
}

TEST(Json, NestingEndsAt128) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(JsonDocument::parse(nested(128), "f"));
  EXPECT_EQ(refusal(nested(129)), "f.json:1:129: nested deeper than 128");
  EXPECT_EQ(refusal(std::string(10'000'000, '[')), "f.json:1:129: nested deeper than 128");
}

TEST(Json, WhatIsNoJsonIsRefusedWithItsPlace) {
  const auto place = [](const std::string& text) {
    return refusal(text).substr(0, refusal(text).find(": "));
  };
  EXPECT_EQ(place(""), "f.json:1:1");
  EXPECT_EQ(place("id,lower"), "f.json:1:1");
  EXPECT_EQ(place("{\"a\": 1,\n \"b\" 2}"), "f.json:2:6");
  EXPECT_EQ(place("[1, 2] x"), "f.json:1:8");
  for (const char* text : {"{", "[1,]", "{\"a\":1,}", "[01]", "[1", "\"abc", "[1e999]", "[NaN]",
                           "// no\n1", "\"\xFF\"", "\"\n\"", "[+1]", "[.5]", "tru"}) {
    EXPECT_NE(refusal(text).find("f.json:1:"), std::string::npos) << text;
  }
}

TEST(Json, AByteOrderMarkIsSkipped) {
  const auto document = JsonDocument::parse("\xEF\xBB\xBF{\"a\": 1}", "f");
  ASSERT_TRUE(document) << to_string(document.error());
  EXPECT_EQ(document->root().field("a")->integer(), 1u);
}

struct Read {
  std::uint64_t n = 0;
  std::string s;
  std::optional<Error> error;
};

Read read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "f.json").value();
  JsonFields fields(document.root(), "ops[3]");
  Read result;
  result.n = fields.integer("n", 255);
  result.s = fields.string("s");
  fields.optional_boolean("b");
  fields.optional_array("list");
  fields.optional_address("at");
  result.error = fields.finish();
  return result;
}

std::string read_error(const std::string& text) {
  const auto error = read(text).error;
  return error ? to_string(*error) : "none";
}

TEST(JsonFields, GiveWhatIsThere) {
  const Read result = read(R"({"n": 255, "s": "x", "at": "0x1000"})");
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.n, 255u);
  EXPECT_EQ(result.s, "x");
}

TEST(JsonFields, NameThePathAndWhatWasExpected) {
  EXPECT_EQ(read_error(R"({"n": 1})"),
            "f.json:1:1: ops[3].s: is missing, expected a string (add it)");
  EXPECT_EQ(
      read_error(R"({"n": 256, "s": ""})"),
      "f.json:1:7: ops[3].n: found 256, expected an integer from 0 to 255 (give a smaller number)");
  EXPECT_EQ(read_error(R"({"n": -1, "s": ""})"),
            "f.json:1:7: ops[3].n: found -1, expected an integer from 0 to 255 "
            "(write it in decimal digits alone, without a sign, a point or an exponent)");
  EXPECT_EQ(read_error(R"({"n": "1", "s": ""})"),
            "f.json:1:7: ops[3].n: found \"1\", expected an integer from 0 to 255 "
            "(write the number without quotes)");
  EXPECT_EQ(read_error(R"({"n": 1, "s": null})"),
            "f.json:1:15: ops[3].s: found null, expected a string (write it in quotes)");
  EXPECT_EQ(read_error(R"({"n": 1, "s": "", "b": 1})"),
            "f.json:1:24: ops[3].b: found 1, expected true or false (write true or false without "
            "quotes)");
  EXPECT_EQ(read_error(R"({"n": 1, "s": "", "list": {}})"),
            "f.json:1:27: ops[3].list: found an object, expected an array (write a list in "
            "brackets, such as "
            "[0, 1]; [] is an empty one)");
  EXPECT_EQ(read_error(R"({"n": 1, "s": "", "at": "12x"})"),
            "f.json:1:25: ops[3].at: found \"12x\", expected an address such as 4096 or "
            "\"0x1000\" (give an integer, or a string of one with 0x or a unit)");
  EXPECT_EQ(read_error("[]"),
            "f.json:1:1: ops[3]: found an array, expected an object (write fields in braces)");
}

TEST(JsonFields, RefuseAFieldThatNobodyAskedFor) {
  EXPECT_EQ(read_error(R"({"n": 1, "s": "", "m": 2})"),
            "f.json:1:24: ops[3].m: is not a field that belongs here (expected one of: at, b, "
            "list, n, s)");
}

TEST(JsonFields, KeepTheFirstError) {
  EXPECT_NE(read_error(R"({"x": 1})").find("ops[3].n"), std::string::npos);
}

TEST(JsonFormat, ANewerVersionIsRefusedByName) {
  const auto fault = [](const std::string& text) {
    const auto document = JsonDocument::parse(text, "f.json").value();
    const auto found = find_format_fault(document.root(), "berth.plan/1");
    return found ? to_string(*found) : "none";
  };
  EXPECT_EQ(fault(R"({"format": "berth.plan/1"})"), "none");
  EXPECT_EQ(fault(R"({"format": "berth.plan/2"})"),
            "f.json:1:12: format: found \"berth.plan/2\", expected \"berth.plan/1\" (this version "
            "of the format is not one that we read)");
  EXPECT_EQ(fault("{}"), "f.json:1:1: format: is missing, expected \"berth.plan/1\"");
  EXPECT_EQ(fault(R"({"format": 1})"), "f.json:1:12: format: is 1, expected \"berth.plan/1\"");
  EXPECT_EQ(fault("[]"), "f.json:1:1: found an array, expected an object");
}

TEST(JsonQuoted, GivesAStringThatReadsBack) {
  for (const std::string text : {"", "a\"b\\c\n\t", "\xC3\xA9", "</script>"}) {
    const auto document = JsonDocument::parse(json_quoted(text), "f");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->root().string(), text);
  }
  EXPECT_EQ(json_quoted("\xFF"), "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace berth
