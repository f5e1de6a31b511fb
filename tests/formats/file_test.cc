#include "berth/formats/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace berth {
namespace {

using test::TemporaryDirectory;

std::string content_of(const std::string& path) {
  return read_file(path).value();
}

void put(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST(ReadFile, GivesEveryByte) {
  const TemporaryDirectory directory;
  const std::string bytes("a\0b\r\n\xFF", 6);
  put(directory.file("x"), bytes);
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

TEST(ReadFile, WhatWouldNeverEndIsRefusedBeforeItIsRead) {
  for (const char* path : {"/dev/zero", "/dev/urandom", "/dev/full"}) {
    const auto read = read_file(path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().message, "is a device that may never end, not a file");
  }
  EXPECT_EQ(read_file("/dev/null").value(), "");
}

TEST(ReadFile, ATooLargeFileIsRefusedBySizeBeforeItIsRead) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("large");
  put(path, "id,lower,upper,size\n");
  std::filesystem::resize_file(path, 5'000'000'000);  // sparse
  const auto read = read_file(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "has 5000000000 bytes, but files of at most 2147483648 are read");
}

TEST(ReadBytes, WhatOnlyStandsForAFileIsSaid) {
  const TemporaryDirectory directory;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
       "is a Git LFS pointer, not the file itself, which has 12345 bytes"},
      {"\r\nversion https://git-lfs.github.com/spec/v1\r\n",
       "is a Git LFS pointer, not the file itself"},
      {"/annex/objects/SHA256E-s12--aa.tflite\n", "is a git-annex pointer, not the file itself"},
      {"\n<!DOCTYPE html><html>", "is a page of the web (HTML), not the file itself"},
      {"<?xml version=\"1.0\"?><Error/>", "is XML, which holds no input of berth"},
      {"PK\x03\x04rest", "is a zip archive"},
      {"\x1F\x8B\x08rest", "is compressed with gzip"}};
  for (const auto& [content, message] : cases) {
    put(directory.file("x"), content);
    {
      const auto error = read_bytes(directory.file("x")).error();
      EXPECT_EQ(error.message, message);
      EXPECT_EQ(error.where, directory.file("x"));
      EXPECT_NE(error.hint, "");
    }
  }
  put(directory.file("x"), "version,lower,upper,size\n");
  EXPECT_TRUE(read_bytes(directory.file("x")));
}

TEST(BaseName, IsTheLastPart) {
  EXPECT_EQ(base_name("/a/b.csv"), "b.csv");
  EXPECT_EQ(base_name("b.csv"), "b.csv");
  EXPECT_EQ(base_name("-"), "-");
}

}  // namespace
}  // namespace berth
