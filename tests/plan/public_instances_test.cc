#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "berth/formats/file.h"
#include "berth/formats/instance_csv.h"
#include "berth/plan/pack.h"
#include "tests/plan/oracle.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

// What the least arena of a public instance is known to be.
struct Known {
  std::string file;
  std::uint64_t least;
};

class PublicInstance : public ::testing::TestWithParam<Known> {};

TEST_P(PublicInstance, IsPackedInTheLeastArenaWithTheProof) {
  const auto path = berth::testing::shared_data("allocation/" + GetParam().file);
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no public instances beside the checkout";
  const auto table = read_instance_csv(*read_file(path.string()), GetParam().file);
  ASSERT_TRUE(table.has_value());
  const auto packing = std::get<Packing>(*pack(table->instance, {}));
  EXPECT_EQ(packing.arenas[0].peak, Bytes(GetParam().least));
  EXPECT_TRUE(packing.arenas[0].proved_least());
  if (table->instance.size() < 2'000) {  // Pair by pair.
    EXPECT_EQ(oracle::find_fault(table->instance, packing.placement), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(Plan, PublicInstance,
                         ::testing::Values(Known{"minimalloc/A.1048576.csv", 1048576},
                                           Known{"minimalloc/B.1048576.csv", 1048576},
                                           Known{"minimalloc/C.1048576.csv", 1039360},
                                           Known{"minimalloc/F.1048576.csv", 1048576},
                                           Known{"minimalloc/G.1048576.csv", 1048576},
                                           Known{"minimalloc/I.1048576.csv", 1048576},
                                           Known{"minimalloc/input.12.csv", 12},
                                           Known{"iopddl/G_1.csv", 3030937746},
                                           Known{"iopddl/Y_1.csv", 497261190115},
                                           Known{"somas/pangu_2.6B.csv", 5530099775},
                                           Known{"somas/resnet50.csv", 1515472556}),
                         [](const ::testing::TestParamInfo<Known>& known) {
                           std::string name;
                           for (const char c : known.param.file) name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace berth
