#include "berth/base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace berth {
namespace {

TEST(ForEachIndex, CallsForEachOnceByAnyNumberOfThreads) {
  for (const std::size_t threads : {0U, 1U, 2U, 7U, 64U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<int> calls(count);
      for_each_index(count, threads, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1));
    }
  }
}

TEST(ForEachIndex, ThrowsWhatACallThrew) {
  for (const std::size_t threads : {1U, 3U}) {
    EXPECT_THROW(for_each_index(100, threads,
                                [](std::size_t i) {
                                  if (i == 40) throw std::runtime_error("40");
                                }),
                 std::runtime_error);
  }
}

TEST(FindIndex, GivesTheLeastAndHasLookedAtAllBelowIt) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    for (const std::size_t least : {0U, 1U, 500U, 999U}) {
      std::vector<int> calls(1000);
      const auto found = find_index(calls.size(), threads, [&](std::size_t i) {
        ++calls[i];
        return i == least || i == 999;
      });
      EXPECT_EQ(found, least);
      for (std::size_t i = 0; i <= least; ++i) EXPECT_EQ(calls[i], 1);
    }
    EXPECT_EQ(find_index(1000, threads, [](std::size_t) { return false; }), std::nullopt);
  }
}

}  // namespace
}  // namespace berth
