#include <gtest/gtest.h>

#include "tests/support/command.h"
#include "tests/testing/tflite_model.h"

// C headers as firmware takes them: compiled.
namespace berth {
namespace {

using test::CommandLine;
using test::Ran;

class HeaderTest : public ::testing::Test {
 protected:
  HeaderTest() {
    command.write("net one.csv",
                  "id,lower,upper,size\n/a/b:0,0,2,100\na.b.0,1,3,50\nsay 'hi' ?\?/,1,3,8\n");
    command.write("net_two.csv", "id,lower,upper,size\na,0,2,4096\n");
  }

  void write_header(const std::string& input, const std::string& header,
                    const std::string& prefix = "") const {
    std::vector<std::string> words = {"plan", input, "-q", "-o", header};
    if (!prefix.empty()) words.insert(words.end(), {"--prefix", prefix});
    const Ran ran = command.run(words);
    ASSERT_EQ(ran.status, 0) << ran.err;
  }

  // What the compiler says; empty: it took it without a word.
  std::string compiled(const std::string& source, const std::string& compiler,
                       const std::string& language) const {
    command.write("use.c", source);
    const Ran ran =
        command.run_program("/bin/sh",
                            {"-c", "export PATH=/usr/bin:/bin; " + compiler + " -std=" + language +
                                       " -Wall -Wextra -pedantic -Werror -c use.c -o use.o"},
                            "", {});
    return ran.status == 0 ? ran.err : "refused\n" + ran.err;
  }
  void expect_clean(const std::string& source) const {
    for (const char* language : {"c99", "c11", "gnu17"}) {
      EXPECT_EQ(compiled(source, "gcc -x c", language), "") << language;
    }
    for (const char* language : {"c++11", "c++20"}) {
      EXPECT_EQ(compiled(source, "g++ -x c++", language), "") << language;
    }
  }

  CommandLine command;
};

TEST_F(HeaderTest, TwoPlansStandBesideOneAnother) {
  write_header("net one.csv", "one.h");
  write_header("net_two.csv", "two.h");
  expect_clean(
      "#define NET_ONE_TABLE\n#include \"one.h\"\n#include \"two.h\"\n#include \"one.h\"\n"
      "NET_TWO_ASSERT(first, NET_ONE_ARENA_0_BYTES == 158);\n"
      "NET_TWO_ASSERT(second, NET_TWO_ARENA_0_BYTES == 4096 && NET_TWO_A_OFFSET == 0);\n"
      "unsigned long long end(int i);\n"
      "unsigned long long end(int i) { return net_one_table[i].offset + net_one_table[i].bytes; }\n"
      "char last[NET_ONE_BUFFER_COUNT];\n");
}

// One source planned in two ways bears one name: nothing of the second vanishes silently.
TEST_F(HeaderTest, TwoPlansOfOneNameDoNotCompileTogether) {
  write_header("net_two.csv", "a.h");
  ASSERT_EQ(command.run({"plan", "net_two.csv", "--alignment", "8192", "-q", "-o", "b.h"}).status,
            0);
  const std::string both = "#include \"a.h\"\n#include \"b.h\"\n";
  EXPECT_NE(compiled(both, "gcc", "c99").find("two plans have the prefix NET_TWO"),
            std::string::npos);
  write_header("net_two.csv", "b.h", "other");
  expect_clean(both + "OTHER_ASSERT(is_there, OTHER_ARENA_0_BYTES == NET_TWO_ARENA_0_BYTES);\n");
}

TEST_F(HeaderTest, NamesOfAnyBytesAndLengthsCompile) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const std::string lengthy(5000, 'n');
  testing::TestGraph graph = {
      .tensors = {testing::sized("model/block_1/expand/BiasAdd;model/block_1/very/long/a", 64),
                  testing::sized("model/block_1/expand/BiasAdd;model/block_1/very/long/b", 64),
                  testing::sized(every_byte.c_str(), 64), testing::sized(lengthy.c_str(), 64),
                  testing::sized("", 64), testing::sized("int", 64)},
      .inputs = {0},
      .outputs = {5},
      .ops = {{testing::kConv2d, {0}, {1}},
              {testing::kConv2d, {1}, {2}},
              {testing::kConv2d, {2}, {3}},
              {testing::kConv2d, {3}, {4}},
              {testing::kConv2d, {4}, {5}}}};
  command.write("9 lives.tflite", testing::tflite_bytes(graph));
  write_header("9 lives.tflite", "m.h");
  expect_clean(
      "#define PLAN_9_LIVES_TABLE\n#include \"m.h\"\n"
      "char f(void);\nchar f(void) { return plan_9_lives_table[0].name[0]; }\n");
  const std::string header = command.read("m.h");
  for (std::size_t at = 0; (at = header.find("#define ", at)) != std::string::npos; ++at) {
    const std::size_t name = at + 8;
    EXPECT_LE(header.find_first_of(" (\n", name) - name, 63U) << header.substr(name, 80);
  }
}

TEST_F(HeaderTest, AnEmptyPlanCompilesToo) {
  command.write("none.csv", "id,lower,upper,size\n");
  write_header("none.csv", "m.h");
  expect_clean("#define NONE_TABLE\n#include \"m.h\"\nchar f[NONE_BUFFER_COUNT + 1];\n");
}

TEST_F(HeaderTest, APrefixBeginsANameOfC) {
  for (const char* prefix :
       {"9a", "_a", "a-b", "a__b", "\xC3\xA9", "a b", "abcdefghijklmnopqrstuvwxy"}) {
    const Ran ran = command.run({"plan", "net_two.csv", "-q", "-o", "x.h", "--prefix", prefix});
    EXPECT_EQ(ran.status, 2) << prefix;
    EXPECT_NE(ran.err.find("begins no name of C"), std::string::npos) << ran.err;
  }
  ASSERT_EQ(command.run({"plan", "net_two.csv", "-q", "-o", "p.json"}).status, 0);
  EXPECT_EQ(command.run({"convert", "p.json", "c.h", "--prefix", "k"}).status, 0);
  EXPECT_NE(command.read("c.h").find("#define K_ARENA_COUNT 1"), std::string::npos);
}

}  // namespace
}  // namespace berth
