#include "berth/formats/write_files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "berth/formats/file.h"
#include "tests/support/temporary_directory.h"

namespace berth {
namespace {

using test::TemporaryDirectory;

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

Result<WrittenFiles> write(std::vector<FileContent> files) {
  return write_files(files);
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

TEST(WriteFiles, ALinkThatLeadsToNothingYetIsFollowed) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("deep"));
  ASSERT_EQ(::symlink("deep/x", directory.file("link").c_str()), 0);
  ASSERT_EQ(::symlink("link", directory.file("again").c_str()), 0);
  ASSERT_TRUE(write({{directory.file("again"), "new"}}));
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(content_of(directory.file("deep/x")), "new");
  ASSERT_EQ(::symlink("circle", directory.file("circle").c_str()), 0);
  const auto written = write({{directory.file("circle"), "new"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: Too many levels of symbolic links");
}

TEST(WriteFiles, ANameMayBeAsLongAsTheFolderTakes) {
  const TemporaryDirectory directory;
  for (const std::size_t length : {250U, 255U}) {
    ASSERT_TRUE(write({{directory.file(std::string(length, 'n')), "new"}})) << length;
    EXPECT_EQ(content_of(directory.file(std::string(length, 'n'))), "new");
  }
  const auto written =
      write({{directory.file("x"), "new"}, {directory.file(std::string(256, 'n')), "new"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: File name too long");
  EXPECT_TRUE(written.error().hint.starts_with("nothing was changed")) << written.error().hint;
  EXPECT_EQ(directory.names().size(), 2U);
}

TEST(WriteFiles, PastTheLimitOnFileSizesNothingIsLeftAndTheProcessLives) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"}}));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written =
      write({{directory.file("x"), "new"}, {directory.file("y"), std::string(100, 'y')}});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: File too large");
  EXPECT_EQ(content_of(directory.file("x")), "old");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"x"});
}

// A file that is mounted is what a rename can never replace: here the second of two, after the
// first has taken its place already. Skips where nothing may be mounted.
TEST(WriteFiles, AMountedFileIsWrittenInPlaceAndItIsSaid) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"},
                     {directory.file("y"), "old and longer"},
                     {directory.file("source"), "old and longer"}}));
  if (::mount(directory.file("source").c_str(), directory.file("y").c_str(), nullptr, MS_BIND,
              nullptr) != 0) {
    GTEST_SKIP() << "nothing may be mounted here";
  }
  const auto written = write({{directory.file("x"), "new"}, {directory.file("y"), "new"}});
  EXPECT_TRUE(written);
  EXPECT_EQ(content_of(directory.file("y")), "new");
  EXPECT_EQ(content_of(directory.file("source")), "new");
  ASSERT_EQ(::umount(directory.file("y").c_str()), 0);
  EXPECT_EQ(content_of(directory.file("x")), "new");
  ASSERT_EQ(written->notes.size(), 1U);
  EXPECT_NE(written->notes[0].find("written in place"), std::string::npos);
}

// Another's file in a folder in which everybody may delete only their own (as /tmp is): it can be
// staged beside, and not replaced.
TEST(WriteFiles, WhereTheSecondCannotTakeItsPlaceTheFirstGetsBackWhatItHad) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a file of another user";
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"}, {directory.file("z"), "old"}}));
  ASSERT_EQ(::chmod(directory.path().c_str(), 01777), 0);
  ASSERT_EQ(::chmod(directory.file("z").c_str(), 0666), 0);
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown(directory.file("x").c_str(), kNobody, static_cast<gid_t>(-1)), 0);
  ASSERT_EQ(::seteuid(kNobody), 0);
  const auto written = write(
      {{directory.file("x"), "new"}, {directory.file("y"), "new"}, {directory.file("z"), "new"}});
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where, directory.file("z"));
  EXPECT_TRUE(written.error().hint.starts_with("nothing was changed")) << written.error().hint;
  EXPECT_EQ(content_of(directory.file("x")), "old");
  EXPECT_EQ(content_of(directory.file("z")), "old");
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"x", "z"}));
}

TEST(WriteFiles, WhatStandardOutputIsOpenOnIsWrittenToAsItStands) {
  EXPECT_TRUE(is_standard_output("-"));
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  EXPECT_TRUE(is_standard_output("/proc/self/fd/1"));
  EXPECT_FALSE(is_standard_output("/dev/stderr"));
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_TRUE(is_stream("/dev/fd/2"));
  EXPECT_FALSE(is_stream("/dev/none"));
  const auto written = write({{"/dev/fd/999", "new"}});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write: Bad file descriptor");
}

TEST(FileNamedTwice, IsFoundUnderAnyName) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write({{directory.file("x"), "old"}}));
  ASSERT_EQ(::symlink("x", directory.file("link").c_str()), 0);
  const auto is_one = [&](const std::string& a, const std::string& b) {
    const std::array paths = {a, b};
    return find_file_named_twice(paths).has_value();
  };
  EXPECT_TRUE(is_one(directory.file("x"), directory.file("./x")));
  EXPECT_TRUE(is_one(directory.file("x"), directory.file("link")));
  EXPECT_TRUE(is_one(directory.file("new"), directory.path() + "//new"));
  EXPECT_TRUE(is_one("-", "/dev/stdout"));
  EXPECT_FALSE(is_one(directory.file("x"), directory.file("y")));
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
