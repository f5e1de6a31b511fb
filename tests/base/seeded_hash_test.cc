#include "berth/base/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace berth {
namespace {

TEST(SeededHash, IsTheSameForTheSameKeyInOneProcess) {
  EXPECT_EQ(SeededHash()(std::string("conv1")), SeededHash()(std::string_view("conv1")));
  EXPECT_EQ(SeededHash()(std::uint64_t{7}), SeededHash()(std::uint64_t{7}));
}

TEST(SeededHash, TellsKeysApartThatAreClose) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 50'000; ++i) keys.insert({i, i << 32, i * 65537, ~i});
  std::set<std::size_t> hashes;
  for (const std::uint64_t key : keys) hashes.insert(SeededHash()(key));
  EXPECT_EQ(hashes.size(), keys.size());  // of 64 bits each, but for once in a billion runs

  std::set<std::size_t> of_texts;
  for (std::size_t i = 0; i < 20'000; ++i) {
    of_texts.insert(SeededHash()(std::string(i % 40, 'a') + std::to_string(i)));
  }
  EXPECT_EQ(of_texts.size(), 20'000u);
}

TEST(SeededHash, ATextIsNotItsPieces) {
  HashState whole;
  whole.add("ab");
  whole.add("");
  HashState pieces;
  pieces.add("a");
  pieces.add("b");
  EXPECT_NE(whole.value(), pieces.value());
  HashState swapped;
  swapped.add(std::uint64_t{1});
  swapped.add(std::uint64_t{2});
  HashState straight;
  straight.add(std::uint64_t{2});
  straight.add(std::uint64_t{1});
  EXPECT_NE(swapped.value(), straight.value());
  EXPECT_NE(SeededHash()(std::string(8, '\0')), SeededHash()(std::string(16, '\0')));
}

}  // namespace
}  // namespace berth
