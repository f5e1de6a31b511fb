#include "berth/formats/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace berth {
namespace {

using test::TemporaryDirectory;

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

Result<void> write(std::vector<FileContent> files) {
  return write_files(files);
}

TEST(ReadFile, GivesEveryByte) {
  const TemporaryDirectory directory;
  const std::string bytes("a\0b\r\n\xFF", 6);
  ASSERT_TRUE(write({{directory.file("x"), bytes}}));
  EXPECT_EQ(content_of(directory.file("x")), bytes);
}

TEST(ReadFile, RefusesWhatCannotBeRead) {
  const TemporaryDirectory directory;
  const auto missing = read_file(directory.file("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, directory.file("none"));
  EXPECT_EQ(missing.error().message, "cannot open: No such file or directory");
  EXPECT_FALSE(read_file(directory.path()));
}

TEST(BaseName, IsTheLastPart) {
  EXPECT_EQ(base_name("/a/b.csv"), "b.csv");
  EXPECT_EQ(base_name("b.csv"), "b.csv");
  EXPECT_EQ(base_name("-"), "-");
}

TEST(WriteFiles, ReplacesWhatWasThereAndKeepsItsMode) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x");
  ASSERT_TRUE(write({{path, "old and longer"}}));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write({{path, "new"}}));
  EXPECT_EQ(content_of(path), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"x"});
}

TEST(WriteFiles, ALinkStaysALinkAndItsFileIsReplaced) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"}}));
  ASSERT_EQ(::symlink("x", directory.file("link").c_str()), 0);
  ASSERT_TRUE(write({{directory.file("link"), "new"}}));
  EXPECT_EQ(content_of(directory.file("x")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
}

TEST(WriteFiles, ANewFileHasTheModeThatTheMaskLeaves) {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write({{directory.file("x"), ""}}));
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(WriteFiles, WritesAllOrNone) {
  for (const bool directory_is_last : {true, false}) {
    const TemporaryDirectory directory;
    ASSERT_TRUE(write({{directory.file("x"), "old"}}));
    std::filesystem::create_directory(directory.file("taken"));
    std::vector<FileContent> files = {{directory.file("x"), "new"}, {directory.file("y"), "new"}};
    files.insert(directory_is_last ? files.end() : files.begin(), {directory.file("taken"), "new"});
    const auto written = write_files(files);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().where, directory.file("taken"));
    EXPECT_EQ(content_of(directory.file("x")), "old");
    EXPECT_EQ(directory.names(), (std::vector<std::string>{"taken", "x"}));
  }
}

TEST(WriteFiles, WritesNothingWhereAFolderIsMissing) {
  const TemporaryDirectory directory;
  const auto written = write({{directory.file("x"), "new"}, {directory.file("none/y"), "new"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: No such file or directory");
  EXPECT_TRUE(directory.names().empty());
}

TEST(WriteFiles, WritesNothingWhereTheFolderIsNotWritable) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"}}));
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  const bool is_root = ::geteuid() == 0;  // who may write anywhere
  constexpr uid_t kNobody = 65534;
  if (is_root) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  EXPECT_FALSE(write({{directory.file("x"), "new"}}));
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_EQ(::chmod(directory.path().c_str(), 0700), 0);
  EXPECT_EQ(content_of(directory.file("x")), "old");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"x"});
}

TEST(WriteFiles, AFullDeviceIsAFailure) {
  const auto written = write({{"/dev/full", "more than it holds"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: No space left on device");
}

TEST(WriteFiles, APlaceThatIsNoFileIsWrittenThrough) {
  EXPECT_TRUE(write({{"/dev/null", "gone"}}));
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

}  // namespace
}  // namespace berth
