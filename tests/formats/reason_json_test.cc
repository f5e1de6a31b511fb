#include "berth/formats/reason_json.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

const std::string kReason = R"({"format": "berth.reason/1",
 "source": {"file": "t.csv", "sha256": ""},
 "device": "CPU", "capacity": 15, "reserve": 1, "unit": 2, "step": 3, "minimal": true,
 "buffers": [
  {"name": "a", "bytes": 5, "skew": 1, "alignment": 4, "first": 0, "end": 9, "fixed": 4, "gaps": [{"first": 2, "end": 3, "kept": [0, 2]}]},
  {"name": "b", "bytes": 6, "skew": 0, "alignment": 1, "first": 3, "end": 4}
 ]}
)";

Result<Reason> read(const std::string& text) {
  const auto document = JsonDocument::parse(text, "r.json");
  if (!document) return tl::unexpected(document.error());
  return read_reason(*document);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& place) {
  std::string text = kReason;
  ASSERT_NE(text.find(from), std::string::npos) << from;
  const auto reason = read(text.replace(text.find(from), from.size(), to));
  ASSERT_FALSE(reason.has_value()) << to;
  EXPECT_NE(to_string(reason.error()).find(place), std::string::npos) << to_string(reason.error());
}

TEST(ReasonJson, WhatIsReadIsWrittenTheSame) {
  const auto reason = read(kReason);
  ASSERT_TRUE(reason.has_value()) << to_string(reason.error());
  EXPECT_EQ(write_reason(*reason), kReason);
}

TEST(ReasonJson, TheSourceAndWhatHasADefaultMayBeAbsent) {
  const auto reason = read(
      R"({"format": "berth.reason/1", "device": "", "buffers": [{"name": "a", "bytes": 1, "first": 0, "end": 1}]})");
  ASSERT_TRUE(reason.has_value()) << to_string(reason.error());
  EXPECT_FALSE(reason->part.devices()[0].capacity.has_value());
  EXPECT_FALSE(reason->minimal);
}

TEST(ReasonJson, RefusesWhatTheFormatDoesNotHave) {
  expect_refused("berth.reason/1", "berth.reason/2", "berth.reason/2");
  expect_refused("\"device\": \"CPU\", ", "", "device");
  expect_refused("\"minimal\": true", "\"minimal\": 1", "minimal");
  expect_refused("\"unit\": 2", "\"unit\": 3", "unit");
  expect_refused("\"first\": 3, \"end\": 4", "\"first\": 3, \"end\": 3", "buffer b");
  expect_refused("\"first\": 3, \"end\": 4", "\"first\": 3, \"end\": 4, \"x\": 1", "buffers[1].x");
  expect_refused("\"name\": \"b\"", "\"name\": \"a\"", "buffer a");
  expect_refused("\"bytes\": 5", "\"bytes\": 18446744073709551615", "buffer a");
  expect_refused("\"kept\": [0, 2]", "\"kept\": [0, 9]", "buffer a");
  expect_refused("\"reserve\": 1", "\"reserve\": -1", "reserve");
}

}  // namespace
}  // namespace berth
