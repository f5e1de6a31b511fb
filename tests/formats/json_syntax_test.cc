#include <gtest/gtest.h>

#include "berth/formats/json.h"

namespace berth {
namespace {

std::string fault_of(const std::string& text) {
  const auto document = JsonDocument::parse(text, "f");
  return document ? "" : document.error().where + ": " + document.error().message;
}

TEST(JsonSyntax, WhatIsNoJsonIsSaidInOurWords) {
  const std::pair<std::string, std::string> cases[] = {
      {"id,lower,upper,size\n", "f:1:1: found 'id', expected a JSON value"},
      {"", "f:1:1: found the end of the file, expected a JSON value"},
      {R"({"format": "x", y})", "f:1:17: found 'y', expected a field's name in quotes"},
      {R"({"a" 1})", "f:1:6: found a number, expected a colon after the field's name"},
      {R"({"a": 1 "b": 2})", "found a string, expected a comma, or the } of the object"},
      {"[1 2]", "found a number, expected a comma, or the ] of the array"},
      {"[1, 2}", "found '}', expected a comma, or the ] of the array"},
      {"{} {}", "found '{', expected nothing more: a file holds one value"},
      {"[1, 2", "found the end of the file, expected a comma, or the ] of the array"},
      {"[\"a\nb\"]", "found a string that JSON does not take: control character U+000A"},
      {"[\"a", "found a string that JSON does not take: missing closing quote"},
      {"[-]", "found a number that JSON does not take: "}};
  for (const auto& [text, words] : cases) {
    const std::string fault = fault_of(text);
    EXPECT_NE(fault.find(words), std::string::npos) << text << "\n  " << fault;
    for (const char* raw : {"syntax error", "while parsing", "last read", "literal", "exception"}) {
      EXPECT_EQ(fault.find(raw), std::string::npos) << fault;
    }
  }
}

}  // namespace
}  // namespace berth
