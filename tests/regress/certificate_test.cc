// What a certificate once said of what it had not judged.
#include <gtest/gtest.h>

#include "berth/pipeline/certify_files.h"

namespace berth {
namespace {

constexpr const char* kPlanes = R"({"format": "berth.planes/1", "alignment": 16,
 "windows": [{"address": 4096, "bytes": 4096}],
 "phases": [
  {"phase": "1", "planes": [{"name": "a", "address": 4352, "bytes": 256}]},
  {"phase": "4", "planes": [{"name": "a", "address": 4352, "bytes": 256, "carried": true}]}]})";

CertifiedFiles certified(const std::string& launches, const CertifyOptions& options = {}) {
  auto files = certify_files({"p.json", kPlanes}, InputFile{"l.json", launches}, options);
  EXPECT_TRUE(files) << to_string(files.error());
  return *std::move(files);
}

// One launch that writes a, and one that reads it and has a second word.
std::string launches(const std::string& word, const std::string& extent) {
  return R"({"format": "berth.launches/2", "table": [
    {"phase": "1", "words": [4352], "extents": [{"word": 0, "writes": 256}]},
    {"phase": "4", "words": [4352, )" +
         word + R"(], "extents": [{"word": 0, "reads": 256}, {"word": 1, )" + extent +
         R"(}]}], "submissions": [{"first": 0, "count": 2}]})";
}

TEST(Certificate, BytesThatAnExtentNamesLieInANamedRangeWhereverTheyAre) {
  for (const Words rule : {Words::ByInterval, Words::OneByOne}) {
    const CertifyOptions options = {.rule = rule, .strict = true};
    for (const char* word : {"3735879680", "0", "4095", "8192", "\"0xffffffffffffffff\""}) {
      for (const char* extent : {R"("writes": 4096)", R"("reads": 1)", R"("reads": 0)"}) {
        const CertifiedFiles files = certified(launches(word, extent), options);
        EXPECT_EQ(files.verdict.code(), 3u) << word << " " << extent;
        EXPECT_FALSE(files.certified(options));
      }
    }
    EXPECT_EQ(certified(launches("4608", R"("reads": 1)"), options).verdict.code(), 3u);
    EXPECT_EQ(certified(launches("4607", R"("reads": 1)"), options).verdict.code(), 0u);
    EXPECT_EQ(certified(launches("4607", R"("reads": 2)"), options).verdict.code(), 3u);
  }
}

TEST(Certificate, WhatRanOnTwoQueuesIsNotCertifiedByItself) {
  const std::string text = R"({"format": "berth.launches/3",
    "queues": [{"name": "a", "in_order": true}, {"name": "b", "in_order": true}],
    "table": [{"phase": "1", "words": [4352]}, {"phase": "4", "words": [4352], "queue": 1}],
    "submissions": [{"first": 0, "count": 2}]})";
  const CertifiedFiles files = certified(text);
  EXPECT_EQ(files.verdict.code(), 0u);
  EXPECT_FALSE(files.certified({}));
  EXPECT_TRUE(files.undecided({}));
  EXPECT_FALSE(files.undecided({.host_order = true}));
  EXPECT_TRUE(files.certified({.host_order = true}));
}

}  // namespace
}  // namespace berth
