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

TEST(CHeader, SaysArenasAndBuffersAsMacros) {
  EXPECT_EQ(write_c_header(small()),
            R"(/* Written by berth from m.csv. Keep the order: in-order per device. */
#ifndef BERTH_PLAN_H
#define BERTH_PLAN_H

#define BERTH_ARENA_COUNT 1
#define BERTH_BUFFER_COUNT 3

/* arena 0: CPU */
#define BERTH_ARENA_CPU_BYTES 256ULL
#define BERTH_ARENA_CPU_ALIGNMENT 1ULL
#define BERTH_ARENA_CPU_ADDRESS 268435456ULL

/* conv/1: live in steps [0, 2) */
#define BERTH_BUFFER_CONV_1_ARENA 0
#define BERTH_BUFFER_CONV_1_OFFSET 0ULL
#define BERTH_BUFFER_CONV_1_BYTES 100ULL

/* conv.1: live in steps [1, 3) */
#define BERTH_BUFFER_CONV_1_1_ARENA 0
#define BERTH_BUFFER_CONV_1_1_OFFSET 128ULL
#define BERTH_BUFFER_CONV_1_1_BYTES 100ULL

/* : live in steps [1, 3) */
#define BERTH_BUFFER_2_ARENA 0
#define BERTH_BUFFER_2_OFFSET 252ULL
#define BERTH_BUFFER_2_BYTES 4ULL

#endif /* BERTH_PLAN_H */
)");
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
    EXPECT_TRUE(names.insert(word).second) << word;
  }
}

}  // namespace
}  // namespace berth
