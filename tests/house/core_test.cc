// The certificate's core: what has to be trusted for its verdict is as small as docs/certificate.md
// says, and can be read by itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = BERTH_ROOT;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> included_by(const std::string& text) {
  const std::string include = "#include \"";
  std::vector<std::string> included;
  for (auto at = text.find(include); at != std::string::npos; at = text.find(include, at)) {
    at += include.size();
    included.push_back(text.substr(at, text.find('"', at) - at));
  }
  return included;
}

// What the verdict's file includes of its room, the sources that belong to it, what these include,
// and so on.
std::set<std::string> core_files() {
  std::set<std::string> files;
  std::vector<std::string> open = {"berth/certify/arena.h"};
  while (!open.empty()) {
    const std::string file = open.back();
    open.pop_back();
    if (!fs::exists(kRoot / file) || !files.insert(file).second) continue;
    for (const std::string& included : included_by(text_of(kRoot / file))) {
      if (included.starts_with("berth/certify/")) open.push_back(included);
    }
    if (file.ends_with(".h")) open.push_back(file.substr(0, file.size() - 2) + ".cc");
  }
  return files;
}

// No text of the core holds the marks of a comment.
std::string without_comments(std::string text) {
  const auto cut = [&](const std::string& begin, const std::string& end, std::size_t of_end) {
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
      text.erase(at, text.find(end, at) + of_end - at);
    }
  };
  cut("/*", "*/", 2);
  cut("//", "\n", 0);
  return text;
}

// Lines of code: neither blank, nor comments, nor directives, nor brackets alone.
std::size_t lines_of_code(const std::string& text) {
  std::istringstream lines(without_comments(text));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool has_code = line.find_first_not_of(" {}();,") != std::string::npos;
    count += has_code && !line.starts_with("#") ? 1 : 0;
  }
  return count;
}

TEST(Core, IsUnderFiveHundredLines) {
  std::size_t lines = 0;
  for (const std::string& file : core_files()) lines += lines_of_code(text_of(kRoot / file));
  EXPECT_LT(lines, 500U);
  EXPECT_GT(lines, 300U) << "most of it was not found";
  const std::string said = std::to_string(lines) + " lines of code";
  EXPECT_NE(text_of(kRoot / "docs/certificate.md").find(said), std::string::npos)
      << "docs/certificate.md should say: " << said;
}

TEST(Core, IsAsItWasWithoutWhatExtentsAdd) {
  std::size_t lines = 0;
  for (const char* file : {"arena_extents.h", "arena_extents.cc", "byte_set.h", "byte_set.cc"}) {
    EXPECT_FALSE(core_files().contains(std::string("berth/certify/") + file));
    lines += lines_of_code(text_of(kRoot / "berth/certify" / file));
  }
  const std::string said = std::to_string(lines) + " lines";
  EXPECT_NE(text_of(kRoot / "docs/certificate.md").find(said), std::string::npos)
      << "docs/certificate.md should say of extents: " << said;
}

TEST(Core, ALineOfCodeIsNoCommentDirectiveOrBracket) {
  EXPECT_EQ(lines_of_code("#include <a>\n\n// b\nint c;  // d\n/* e\n f */\n  }\n  });\n"), 1U);
  EXPECT_EQ(lines_of_code("int a;\n  b();\n} else {\n  }, c);\n"), 4U);
}

TEST(Core, IncludesOnlyBaseAndIrBesideItself) {
  const auto core = core_files();
  EXPECT_TRUE(core.contains("berth/certify/arena_live.cc"));
  for (const std::string& file : core) {
    for (const std::string& included : included_by(text_of(kRoot / file))) {
      EXPECT_TRUE(core.contains(included) || included.starts_with("berth/base/") ||
                  included.starts_with("berth/ir/"))
          << file << " includes " << included;
    }
  }
}

TEST(Core, ThrowsNothingAndAllocatesOnlyThroughItsTables) {
  const std::vector<std::string> forbidden = {"throw ", "try {",  "catch",       "new ",
                                              "delete", "malloc", "make_unique", "make_shared"};
  for (const std::string& file : core_files()) {
    const std::string code = without_comments(text_of(kRoot / file));
    for (const std::string& word : forbidden) {
      EXPECT_EQ(code.find(word), std::string::npos) << file << ": " << word;
    }
  }
}

}  // namespace
