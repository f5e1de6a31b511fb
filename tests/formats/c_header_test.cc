#include "berth/formats/c_header.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/support/plans.h"

namespace berth {
namespace {

Plan small() {
  Plan plan = test::plan_of(test::arena(256), {test::buffer("conv/1", {0, 2}, 100, 0),
                                               test::buffer("conv.1", {1, 3}, 100, 128),
                                               test::buffer("", {1, 3}, 4, 252)});
  plan.source.file = "m.csv";
  plan.ordering = "in-order per device";
  plan.arenas[0].address = Address(0x10000000);
  return plan;
}

TEST(CHeader, SaysArenasAndBuffersAsMacrosAndAsATable) {
  const std::string text = write_c_header(small());
  EXPECT_TRUE(
      text.starts_with("/* Written by berth from m.csv. Keep the order: in-order per device. */\n"
                       "#if !defined(M_PLAN)\n#define M_PLAN 0x"))
      << text;
  for (const char* part :
       {"#define M_ARENA_COUNT 1\n#define M_BUFFER_COUNT 3\n",
        "/* arena 0: CPU */\n#define M_ARENA_CPU_BYTES 256ULL\n#define M_ARENA_CPU_ALIGNMENT 1ULL\n"
        "#define M_ARENA_CPU_ADDRESS 268435456ULL\n",
        "/* conv/1: live in steps [0, 2) */\n#define M_CONV_1_ARENA 0\n"
        "#define M_CONV_1_OFFSET 0ULL\n#define M_CONV_1_BYTES 100ULL\n",
        "#define M_CONV_1_1_OFFSET 128ULL\n", "#define M_2_OFFSET 252ULL\n",
        "         M_2_OFFSET + M_2_BYTES <= M_ARENA_CPU_BYTES);\n",
        "  {\"conv.1\", M_CONV_1_1_ARENA, M_CONV_1_1_OFFSET, M_CONV_1_1_BYTES},\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
}

TEST(CHeader, NamesBeginWithTheFileOrWithThePrefix) {
  Plan plan = small();
  const auto first = [&](const std::string& prefix = "") {
    const std::string text = write_c_header(plan, prefix);
    const auto at = text.find("#define ") + 8;
    return text.substr(at, text.find(' ', at) - at);
  };
  EXPECT_EQ(first(), "M_PLAN");
  EXPECT_EQ(first("speech"), "SPEECH_PLAN");
  for (const auto& [file, prefix] : {std::pair("net.v2.tflite", "NET_V2"),
                                     {"-", "PLAN"},
                                     {"8bit.csv", "PLAN_8BIT"},
                                     {"", "PLAN"},
                                     {"\xC3\xA9", "PLAN"},
                                     {"a__b--.onnx", "A_B"}}) {
    plan.source.file = file;
    EXPECT_EQ(first(), std::string(prefix) + "_PLAN") << file;
  }
}

TEST(CHeader, NoNameEndsACommentOrBreaksALine) {
  Plan plan = small();
  plan.buffers[0].name = "*/ int x; /*\n#define Y\\";
  plan.source.file = "a*/b?\?/";
  const std::string text = write_c_header(plan);
  EXPECT_NE(text.find("/* _/ int x; /__#define Y_: live"), std::string::npos) << text;
  EXPECT_NE(text.find("from a_/b__/."), std::string::npos) << text;
}

TEST(CHeader, NoTwoMacrosBearOneName) {
  Plan plan = small();
  plan.buffers.clear();
  for (const char* name :
       {"a", "a_1", "A", "a-1", "a", "a_1_BYTES", "a_ARENA", "a", "a_4", "a b"}) {
    plan.buffers.push_back(test::buffer(name, {0, 1}, 1, 0));
  }
  std::set<std::string> names;
  std::istringstream lines(write_c_header(plan));
  for (std::string word; lines >> word;) {
    if (word != "#define") continue;
    lines >> word;
    if (word.find('(') != std::string::npos) continue;  // one for each kind of compiler
    EXPECT_TRUE(names.insert(word).second) << word;
  }
}

}  // namespace
}  // namespace berth
