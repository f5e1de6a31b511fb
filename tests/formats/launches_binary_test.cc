#include "berth/formats/launches_binary.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "berth/formats/file.h"
#include "berth/formats/launches_json.h"
#include "berth/formats/write_files.h"
#include "tests/support/arenas.h"
#include "tests/support/temporary_directory.h"

namespace berth {
namespace {

Result<LaunchSchedule> read(const std::string& text) {
  const FileBytes content = file_bytes(text);
  return read_launches_binary(content.bytes, content.owner, "l.bin");
}

// Two launches, three words, one repeat with a delta and a frame.
LaunchSchedule example() {
  LaunchScheduleBuilder builder;
  builder.launch("p", std::vector<std::uint64_t>{1, UINT64_MAX}, "k");
  builder.launch("q", std::vector<std::uint64_t>{7, 8});
  builder.repeat(2, 1, {{0, 1, -5}}, {{0, 0, {3, 4}}});
  builder.submit({0, 2});
  builder.submit({1, 1});
  return std::move(builder).build().value();
}

// Where a number of the header stands.
enum Field {
  Version,
  Words,
  Launches,
  Phases,
  Names,
  Repeats,
  Deltas,
  Frames,
  Values,
  Submissions,
  Text
};
constexpr std::size_t kParts = 8 + 11 * 8;

std::string with(std::string file, std::size_t at, std::uint64_t number) {
  std::memcpy(file.data() + at, &number, sizeof number);
  return file;
}
std::string with_field(Field field, std::uint64_t number) {
  return with(write_launches_binary(example()), 8 + 8 * static_cast<std::size_t>(field), number);
}
std::string refusal(const std::string& file) {
  const auto schedule = read(file);
  return schedule ? "" : to_string(schedule.error());
}

TEST(LaunchesBinary, GivesBackWhatWasWritten) {
  const std::string file = write_launches_binary(example());
  EXPECT_TRUE(is_launches_binary(file));
  EXPECT_EQ(file.size() % 8, 0u);
  const auto again = read(file);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, example());
  EXPECT_EQ(again->name(LaunchId(0)), "k");
  EXPECT_EQ(again->name(LaunchId(1)), "");
  EXPECT_EQ(again->executed(), 5u);
  EXPECT_EQ(write_launches_binary(*again), file);
}

TEST(LaunchesBinary, ExtentsAreAPartOfVersionTwo) {
  LaunchScheduleBuilder builder;
  builder.launch("p", std::vector<std::uint64_t>{1, 2});
  builder.extent(1, 64, UINT64_MAX);
  builder.extent(0, 0, 8);
  builder.submit({0, 1});
  const auto schedule = std::move(builder).build().value();
  const std::string file = write_launches_binary(schedule);
  const auto again = read(file);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, schedule);
  EXPECT_EQ(again->extents()[1], (Extent{0, 1, 64, UINT64_MAX}));
  EXPECT_EQ(file.size(), write_launches_binary(without_extents(schedule)).size() + 8 + 2 * 24);
  EXPECT_TRUE(refusal(with(file, 8 + 11 * 8, 3)).starts_with("l.bin: extents")) << "one too many";
  EXPECT_TRUE(refusal(with(file, 8 + 11 * 8, UINT64_MAX / 8)).starts_with("l.bin: extents"));
  const std::size_t first = file.size() - 8 - 2 * 24;  // one letter of text, filled up, behind them
  EXPECT_EQ(refusal(with(file, first, std::uint64_t{1} << 32)),
            "l.bin: extent of word 1 of launch 0: stands twice");
  EXPECT_EQ(refusal(with(file, first, std::uint64_t{2} << 32)),
            "l.bin: extent of word 2 of launch 0: the launch has 2 words");
  EXPECT_EQ(refusal(with(file, first, 1)),
            "l.bin: extent of word 0 of launch 1: there are 1 launches");
}

TEST(LaunchesBinary, AnEmptyTableIsOne) {
  const auto nothing = LaunchScheduleBuilder().build().value();
  EXPECT_EQ(read(write_launches_binary(nothing)).value(), nothing);
}

TEST(LaunchesBinary, WordsAreReadWhereTheyLie) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("l.launches.bin");
  ASSERT_TRUE(write_files(std::vector<FileContent>{{path, write_launches_binary(example())}}));
  auto content = read_bytes(path).value();
  const auto* first = content.bytes.data();
  auto schedule = read_launches_binary(content.bytes, content.owner, path).value();
  EXPECT_EQ(reinterpret_cast<const std::byte*>(schedule.words(LaunchId(0)).data()), first + kParts);
  // The schedule, and a copy of it, keep what was read.
  content = {};
  const LaunchSchedule copy = schedule;
  schedule = example();
  EXPECT_EQ(copy.words(LaunchId(0))[1], UINT64_MAX);
}

TEST(LaunchesBinary, EitherFormTurnsIntoTheOther) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 500; ++i) {
    const auto arena = test::random_arena(random);
    const auto schedule = test::build(arena.table, &arena.submissions).value();
    const auto binary = read(write_launches_binary(schedule));
    ASSERT_TRUE(binary) << to_string(binary.error());
    EXPECT_EQ(*binary, schedule);
    const auto document = JsonDocument::parse(write_launches(*binary), "l.json");
    EXPECT_EQ(read_launches(*document).value(), schedule);
  }
}

TEST(LaunchesBinary, AFileCutShortAnywhereIsRefused) {
  const std::string file = write_launches_binary(example());
  for (std::size_t size = 8; size < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "") << size;
  }
  EXPECT_NE(refusal(file + std::string(8, '\0')), "");
}

TEST(LaunchesBinary, AHeaderThatSaysSomethingElseIsRefused) {
  EXPECT_EQ(refusal(with_field(Version, 4)),
            "l.bin: version: found 4, expected 1 to 3 (a newer berth wrote it)");
  EXPECT_EQ(refusal(with_field(Version, 0)),
            "l.bin: version: found 0, expected 1 to 3 (the file is damaged)");
  for (const Field field :
       {Words, Launches, Phases, Names, Repeats, Deltas, Frames, Values, Submissions, Text}) {
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1} << 61,
          std::uint64_t{1} << 62, UINT64_MAX}) {
      const std::string file = with_field(field, number);
      if (file == write_launches_binary(example())) continue;
      EXPECT_NE(refusal(file), "") << field << " " << number;
    }
  }
}

// Three launches on two queues, one with an extent, and two notes.
LaunchSchedule example_with_queues() {
  LaunchScheduleBuilder builder;
  builder.queue("run", true);
  builder.queue("", false);
  builder.not_judged("one thing");
  builder.not_judged("");
  builder.launch("p", std::vector<std::uint64_t>{1});
  builder.put_on(1);
  builder.launch("q", std::vector<std::uint64_t>{2}, "k");
  builder.extent(0, 3, 4);
  builder.launch("q", {});
  builder.put_on(1);
  builder.submit({0, 3});
  return std::move(builder).build().value();
}

TEST(LaunchesBinary, QueuesAndWhatIsNotJudgedAreGivenBack) {
  const LaunchSchedule schedule = example_with_queues();
  const std::string file = write_launches_binary(schedule);
  EXPECT_EQ(read(file).value(), schedule);
  const auto document = JsonDocument::parse(write_launches(schedule), "l.json");
  EXPECT_EQ(read_launches(*document).value(), schedule);
  LaunchScheduleBuilder builder;
  builder.queue("alone", true);
  builder.launch("p", {});
  const auto named = std::move(builder).build().value();
  EXPECT_EQ(read(write_launches_binary(named)).value(), named);
}

TEST(LaunchesBinary, QueuesThatAreDamagedAreRefused) {
  const std::string file = write_launches_binary(example_with_queues());
  for (std::size_t size = 8; size < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "") << size;
  }
  for (std::size_t at = 8; at + 8 <= file.size(); at += 8) {
    for (const std::uint64_t number : {std::uint64_t{7}, std::uint64_t{1} << 62, UINT64_MAX}) {
      const auto schedule = read(with(file, at, number));
      if (!schedule) continue;
      EXPECT_EQ(read(write_launches_binary(*schedule)).value(), *schedule) << at;
    }
  }
  const std::size_t counts = kParts + 8;
  EXPECT_NE(refusal(with(file, counts + 8, 2)), "") << "two launches of three say their queue";
}

TEST(LaunchesBinary, IndicesAndBoundsAreChecked) {
  const std::string file = write_launches_binary(example());
  const std::size_t words_begin = kParts + 4 * 8;
  const std::size_t phase_of = words_begin + 3 * 8;
  const std::size_t name_of = phase_of + 8;
  EXPECT_EQ(refusal(with(file, words_begin + 8, 5)),
            "l.bin: words_begin of launch 1: found 5, and 4 after it");
  EXPECT_NE(refusal(with(file, words_begin, 1)), "");
  EXPECT_EQ(refusal(with(file, phase_of, std::uint64_t{2} << 32)),
            "l.bin: phase of launch 1: found 2, expected at most the next one, 1, of 2");
  EXPECT_EQ(refusal(with(file, phase_of, 0)), "l.bin: phase texts: 1 of 2 belong to no launch");
  EXPECT_NE(refusal(with(file, phase_of, 1)), "");
  EXPECT_NE(refusal(with(file, name_of, std::uint64_t{7} << 32)), "");
}

TEST(LaunchesBinary, RepeatsThatMeetAreRefused) {
  LaunchScheduleBuilder builder;
  builder.launch("p", {});
  builder.repeat(2, 1);
  builder.launch("p", {});
  builder.repeat(3, 1);
  const std::string file = write_launches_binary(std::move(builder).build().value());
  const std::size_t repeats = kParts + 3 * 8 + 8 + 8;
  const std::uint64_t first_0_count_2 = std::uint64_t{2} << 32;
  EXPECT_EQ(refusal(with(file, repeats + 8, first_0_count_2)),
            "l.bin: repeats[1]: holds launches 1 to 2, expected some of 2 to 2");
  EXPECT_EQ(refusal(with(file, repeats, 0)),
            "l.bin: table[0].repeat: found 0, expected at least 1");
}

TEST(LaunchesBinary, TextsAreUtf8AndStandOnce) {
  std::string file = write_launches_binary(example());
  const auto text = file.rfind("pqk");
  file[text] = '\xFF';
  EXPECT_EQ(refusal(file), "l.bin: phase_ends: text 0 is not UTF-8");
  file[text] = 'q';
  EXPECT_EQ(refusal(file), "l.bin: phase texts: 'q' stands twice");
}

TEST(ReadBytes, WhatIsCutShortLaterStaysAsItWasRead) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("l.launches.bin");
  const std::string file = write_launches_binary(example()) + std::string(1 << 20, 'x');
  ASSERT_TRUE(write_files(std::vector<FileContent>{{path, file}}));
  const auto content = read_bytes(path).value();
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()),
            file);
}

// Whoever writes the file may cut it short at any time: it is then refused, or what was there.
TEST(ReadBytes, AFileThatIsCutShortMeanwhileIsRefused) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("l.launches.bin");
  const std::string file(1 << 22, 'x');
  ASSERT_TRUE(write_files(std::vector<FileContent>{{path, file}}));
  std::atomic<bool> is_over = false;
  std::thread writer([&] {
    while (!is_over) {
      std::filesystem::resize_file(path, 100);
      std::filesystem::resize_file(path, file.size());
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto content = read_bytes(path);
    const std::string said = content ? "" : to_string(content.error());
    if (content) {
      EXPECT_TRUE(content->bytes.size() == file.size() || content->bytes.size() == 100u);
    } else {
      // What it has is what was there when that was asked.
      EXPECT_NE(said.find("was cut short while it was read: it had 4194304 bytes, and has "),
                std::string::npos)
          << said;
    }
  }
  is_over = true;
  writer.join();
}

TEST(ReadBytes, GivesEveryByteOfPlainFilesAndOfOthers) {
  const test::TemporaryDirectory directory;
  for (const std::string content : {"", "a", "nine byte"}) {
    const std::string path = directory.file("x" + std::to_string(content.size()));
    ASSERT_TRUE(write_files(std::vector<FileContent>{{path, content}}));
    const auto read = read_bytes(path).value();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()),
              content);
  }
  EXPECT_EQ(read_bytes("/dev/null").value().bytes.size(), 0u);
  EXPECT_FALSE(read_bytes(directory.file("none")));
}

}  // namespace
}  // namespace berth
