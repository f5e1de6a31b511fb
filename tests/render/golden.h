#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace berth::test {

// `text` is what tests/render/golden/`name` holds. With BERTH_UPDATE_GOLDEN set the file is written
// instead, for a person to read before it is committed.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(BERTH_ROOT) + "/tests/render/golden/" + name;
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, golden) << name;
}

}  // namespace berth::test
