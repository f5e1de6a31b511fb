#include "berth/formats/launches_json.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/arenas.h"

namespace berth {
namespace {

Result<LaunchSchedule> read(const std::string& text) {
  auto document = JsonDocument::parse(text, "l.json");
  if (!document) return tl::unexpected(document.error());
  return read_launches(*document);
}

std::string refusal(const std::string& text) {
  const auto schedule = read(text);
  EXPECT_FALSE(schedule) << text;
  return schedule ? "" : to_string(schedule.error());
}

// The refusal of a table (in the second line) and submissions (in the third), without the file.
std::string refused(const std::string& table, const std::string& submissions = "[]") {
  const std::string text = refusal("{\"format\": \"berth.launches/1\", \"table\":\n" + table +
                                   ", \"submissions\":\n" + submissions + "}");
  return text.substr(std::string("l.json:").size());
}

constexpr const char* kExample = R"({"format": "berth.launches/1",
 "table": [
  {"phase": "layer0", "words": [4096, 8192, 7]},
  {"repeat": 12, "body": [{"phase": "layer0", "words": [4096, 8192, 7]}],
   "deltas": [{"launch": 0, "word": 1, "step": 64}],
   "frames": [{"launch": 0, "word": 2, "values": [0,1,2,3,4,5,6,7,8,9,10,11]}]}],
 "submissions": [{"first": 0, "count": 2}]})";

TEST(LaunchesReader, ReadsTheExampleOfTheFormat) {
  const auto schedule = read(kExample);
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  EXPECT_EQ(schedule->size(), 2u);
  EXPECT_EQ(schedule->executed(), 13u);
  EXPECT_EQ(schedule->phase(LaunchId(1)), "layer0");
  EXPECT_EQ(schedule->words(LaunchId(1))[1], 8192u);
  ASSERT_EQ(schedule->repeats().size(), 1u);
  EXPECT_EQ(schedule->repeat_of(LaunchId(0)), nullptr);
  EXPECT_EQ(schedule->repeat_of(LaunchId(1)), schedule->repeats().data());
  EXPECT_EQ(schedule->repeats()[0].deltas[0], (Delta{0, 1, 64}));
  EXPECT_EQ(schedule->repeats()[0].frames[0].values[11], 11u);
}

TEST(LaunchesReader, VersionTwoSaysWhatAWordReaches) {
  const auto with = [](const std::string& version, const std::string& extents) {
    return R"({"format": "berth.launches/)" + version + R"(", "table": [
  {"repeat": 2, "body": [{"phase": "p", "words": [1]},
   {"phase": "p", "words": [1, 2], "extents": )" +
           extents + R"(}]}], "submissions": []})";
  };
  const auto schedule =
      read(with("2", R"([{"word": 1, "writes": 8}, {"word": 0, "reads": 4, "writes": 2}])"));
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  EXPECT_EQ(std::vector(schedule->extents().begin(), schedule->extents().end()),
            (std::vector<Extent>{{1, 0, 4, 2}, {1, 1, 0, 8}}));
  const std::string written = write_launches(*schedule);
  EXPECT_TRUE(written.starts_with("{\"format\": \"berth.launches/2\""));
  EXPECT_EQ(read(written).value(), *schedule);
  EXPECT_TRUE(
      write_launches(without_extents(*schedule)).starts_with("{\"format\": \"berth.launches/1\""));

  EXPECT_NE(refusal(with("1", "[]")).find("extents: is not a field"), std::string::npos);
  EXPECT_NE(refusal(with("4", "[]"))
                .find("expected \"berth.launches/1\", \"berth.launches/2\" or "
                      "\"berth.launches/3\" (this version of the format"),
            std::string::npos);
  EXPECT_NE(refusal(with("2", R"([{"word": 2, "reads": 1}])"))
                .find("table[0].body[1].extents[0].word: found 2, expected a word of the launch, "
                      "which has 2"),
            std::string::npos);
  EXPECT_NE(refusal(with("2", R"([{"word": 1}, {"word": 1}])"))
                .find("extents[1].word: word 1 has an extent already"),
            std::string::npos);
  EXPECT_NE(refusal(with("2", R"([{"reads": 1}])")).find("extents[0].word: is missing"),
            std::string::npos);
}

constexpr const char* kQueues = R"({"format": "berth.launches/3",
 "queues": [{"name": "run", "in_order": true}, {"name": "copy", "in_order": false}],
 "not_judged": ["what a kernel reads of its own accord"],
 "table": [
  {"phase": "p", "words": [1], "queue": 1},
  {"phase": "p", "words": [2], "extents": [{"word": 0, "reads": 4}]}],
 "submissions": [{"first": 0, "count": 2}]})";

TEST(LaunchesReader, VersionThreeSaysWhichQueueALaunchIsOnAndWhatIsNotJudged) {
  const auto schedule = read(kQueues);
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  EXPECT_EQ(schedule->queues()[1], (LaunchQueue{"copy", false}));
  EXPECT_EQ(schedule->queue_of(LaunchId(0)), 1u);
  EXPECT_EQ(schedule->queue_of(LaunchId(1)), 0u);
  EXPECT_EQ(schedule->extents().size(), 1u);
  EXPECT_EQ(schedule->not_judged()[0], "what a kernel reads of its own accord");
  const std::string written = write_launches(*schedule);
  EXPECT_TRUE(written.starts_with("{\"format\": \"berth.launches/3\"")) << written;
  EXPECT_EQ(read(written).value(), *schedule);
}

TEST(LaunchesReader, QueuesAreThoseThatThereAre) {
  const auto with = [](const std::string& old, const std::string& now) {
    std::string text = kQueues;
    return text.replace(text.find(old), old.size(), now);
  };
  EXPECT_NE(refusal(with("\"queue\": 1", "\"queue\": 2"))
                .find("table[0].queue: found 2, expected one of the queues, of which there are 2"),
            std::string::npos);
  EXPECT_NE(refusal(with("launches/3", "launches/2")).find("is not a field that belongs here"),
            std::string::npos);
  EXPECT_NE(
      refusal(
          with(R"([{"name": "run", "in_order": true}, {"name": "copy", "in_order": false}])", "[]"))
          .find("queues: is empty"),
      std::string::npos);
  EXPECT_NE(refusal(with("\"what a kernel reads of its own accord\"", "7"))
                .find("not_judged: holds 7, expected strings"),
            std::string::npos);
  EXPECT_TRUE(read(with(", \"in_order\": true", ""))->queues()[0].in_order);
}

TEST(LaunchesReader, WordsMayBeStringsAndStepsNegative) {
  const auto schedule = read(R"({"format": "berth.launches/1", "table": [
    {"repeat": 2, "body": [{"phase": "p", "words": ["0xffffffffffffffff"], "name": "k"}],
     "deltas": [{"launch": 0, "word": 0, "step": -9223372036854775808}]}],
    "submissions": [{"first": 1, "count": 0}]})");
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  EXPECT_EQ(schedule->words(LaunchId(0))[0], UINT64_MAX);
  EXPECT_EQ(schedule->name(LaunchId(0)), "k");
  EXPECT_EQ(schedule->repeats()[0].deltas[0].step, INT64_MIN);
  EXPECT_EQ(schedule->executed(), 0u);
}

TEST(LaunchesReader, RefusesWhatIsMissingUnknownOrOfAnotherType) {
  EXPECT_EQ(refused(R"([{"words": []}])"),
            "2:2: table[0].phase: is missing, expected a string (add it)");
  EXPECT_EQ(refused(R"([{"phase": "p"}])"),
            "2:2: table[0].words: is missing, expected an array (add it)");
  EXPECT_TRUE(refused(R"([{"phase": "p", "words": [], "grid": 1}])")
                  .starts_with("2:38: table[0].grid: is not a field that belongs here"));
  EXPECT_EQ(refused(R"([{"phase": "p", "words": [1, 1.5]}])"),
            "2:30: table[0].words[1]: found 1.5, expected an address such as 4096 or \"0x1000\" "
            "(give an integer, or a string of one with 0x or a unit)");
  EXPECT_EQ(refused("[7]"), "2:2: table[0]: found 7, expected an object (write fields in braces)");
  EXPECT_EQ(refused("[]", R"([{"first": 0}])"),
            "3:2: submissions[0].count: is missing, expected an integer (add it)");
  EXPECT_EQ(
      refused(
          R"([{"repeat": 2, "body": [{"phase": "p", "words": [0]}], "deltas": [{"launch": 0, "word": 0, "step": 9223372036854775808}]}])"),
      "2:100: table[0].deltas[0].step: found 9223372036854775808, expected an integer from "
      "-9223372036854775808 to 9223372036854775807 "
      "(write it in decimal digits alone, without a point or exponent)");
  EXPECT_TRUE(refusal(R"({"format": "berth.launches/1", "table": []})")
                  .ends_with("submissions: is missing, expected an array (add it)"));
}

constexpr const char* kBody = R"("body": [{"phase": "p", "words": [0]}])";

std::string refused_repeat(const std::string& rest) {
  return refused("[{\"repeat\": 2, " + std::string(kBody) + rest + "}]");
}

TEST(LaunchesReader, RefusesARepeatThatMeansNothing) {
  EXPECT_EQ(refused("[{\"repeat\": 0, " + std::string(kBody) + "}]"),
            "2:13: table[0].repeat: found 0, expected at least 1");
  EXPECT_EQ(refused(R"([{"repeat": 2, "body": []}])"),
            "2:24: table[0].body: is empty, expected at least one launch");
  EXPECT_TRUE(refused(R"([{"repeat": 2, "body": [{"repeat": 2, "body": []}]}])")
                  .starts_with("2:36: table[0].body[0].repeat: a repeat stands inside another"));
}

TEST(LaunchesReader, RefusesDeltasAndFramesThatNameNoWordOrOneTwice) {
  EXPECT_EQ(refused_repeat(R"(, "deltas": [{"launch": 1, "word": 0, "step": 1}])"),
            "2:78: table[0].deltas[0].launch: found 1, expected a launch of the body, which has 1");
  EXPECT_EQ(refused_repeat(R"(, "deltas": [{"launch": 0, "word": 1, "step": 1}])"),
            "2:89: table[0].deltas[0].word: found 1, expected a word of launch 0 of the body, "
            "which has 1");
  EXPECT_TRUE(refused_repeat(R"(, "frames": [{"launch": 0, "word": 0, "values": [1]}])")
                  .ends_with("table[0].frames[0].values: holds 1 values, expected one for each of "
                             "2 iterations"));
  EXPECT_TRUE(
      refused_repeat(
          R"(, "frames": [{"launch": 0, "word": 0, "values": [1, 2]}, {"launch": 0, "word": 0, "values": [1, 2]}])")
          .ends_with("table[0].frames[1].word: word 0 of launch 0 of the body has a frame "
                     "already"));
  EXPECT_NE(
      refused_repeat(
          R"(, "deltas": [{"launch": 0, "word": 0, "step": 1}], "frames": [{"launch": 0, "word": 0, "values": [1, 2]}])")
          .find("table[0].frames[0].word: word 0 of launch 0 of the body has a delta too"),
      std::string::npos);
}

TEST(LaunchesReader, RefusesSubmissionsPastTheTableOrThroughARepeat) {
  const std::string table = R"([{"phase": "p", "words": []}, {"repeat": 2, "body": [
    {"phase": "p", "words": []}, {"phase": "q", "words": []}]}])";
  const auto submitted = [&](const std::string& submission) {
    const std::string text = refused(table, "[" + submission + "]");
    return text.substr(text.find("submissions"));
  };
  EXPECT_EQ(submitted(R"({"first": 4, "count": 0})"),
            "submissions[0].first: found 4, expected at most the 3 launches written");
  EXPECT_EQ(submitted(R"({"first": 1, "count": 18446744073709551615})"),
            "submissions[0].count: 18446744073709551615 launches from 1 on pass the 3 that are "
            "written");
  EXPECT_TRUE(submitted(R"({"first": 2, "count": 1})")
                  .starts_with("submissions[0].first: launch 2 stands inside the repeat of "
                               "launches 1 to 3"));
  EXPECT_TRUE(submitted(R"({"first": 2, "count": 0})").starts_with("submissions[0].first: "));
  EXPECT_TRUE(submitted(R"({"first": 0, "count": 2})").starts_with("submissions[0].count: "));
}

TEST(LaunchesReader, Refuses2To62ExecutedLaunches) {
  const std::string table =
      R"([{"repeat": 2305843009213693952, "body": [{"phase": "p", "words": []}]}])";
  const std::string once = R"({"first": 0, "count": 1})";
  EXPECT_NE(refused(table, "[" + once + ", " + once + "]")
                .find("submissions[1]: brings the number of executed launches to 2^62"),
            std::string::npos);
  const auto just_below = read(
      R"({"format": "berth.launches/1", "table": [{"repeat": 4611686018427387903, "body": [{"phase": "p", "words": []}]}],
          "submissions": [{"first": 0, "count": 1}]})");
  ASSERT_TRUE(just_below);
  EXPECT_EQ(just_below->executed(), 4611686018427387903u);
}

TEST(LaunchesReader, ARepeatThatNeverRunsMayBeAsLongAsItLikes) {
  const auto schedule = read(
      R"({"format": "berth.launches/1", "table": [{"repeat": 18446744073709551615, "body": [{"phase": "p", "words": []}]}],
          "submissions": []})");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->executed(), 0u);
}

TEST(LaunchesWriter, WhatItWritesReadsBack) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const auto arena = test::random_arena(random);
    const auto schedule = test::build(arena.table, &arena.submissions).value();
    const auto again = read(write_launches(schedule));
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(*again, schedule);
  }
  const auto named = read(kExample).value();
  EXPECT_EQ(read(write_launches(named)).value(), named);
}

}  // namespace
}  // namespace berth
