#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>

#include "berth/formats/plan_json.h"
#include "berth/pipeline/check_file.h"
#include "berth/pipeline/plan_on_target.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

struct OnMicrocontroller {
  const char* model;
  std::uint64_t sram;     // that its intermediates take
  std::uint64_t weights;  // bytes moved of them
  std::uint64_t ends;     // of inputs and outputs
  std::uint64_t launches;
};

class MlperfTiny : public ::testing::TestWithParam<OnMicrocontroller> {};

// A Cortex-M55 with 2 MiB of SRAM: nothing is spilled, so the weights, the input and the output are
// all that moves off chip.
TEST_P(MlperfTiny, RunsOnAMicrocontrollerWithItsIntermediatesInTheSram) {
  const OnMicrocontroller& expected = GetParam();
  const std::string path =
      testing::shared_data("models/" + std::string(expected.model) + ".tflite").string();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const auto input = open_input(path);
  const auto target = open_input(std::string(BERTH_ROOT) + "/targets/m55_u55_corstone300.toml");
  ASSERT_TRUE(input && target);
  for (const Policy policy : {Policy::Rule, Policy::Best}) {
    const auto answer = plan_on_target(*input, *target, policy, {});
    ASSERT_TRUE(answer) << to_string(answer.error());
    ASSERT_TRUE(std::holds_alternative<PlannedFile>(*answer));
    const Plan& plan = std::get<PlannedFile>(*answer).plan;
    EXPECT_EQ(plan.target->tiers.at(0).peak, Bytes(expected.sram));
    EXPECT_TRUE(plan.arenas.at(0).figures.proved_least());
    EXPECT_TRUE(plan.target->spilled.empty());
    EXPECT_EQ(plan.target->off_chip.weights, Bytes(expected.weights));
    EXPECT_EQ(plan.target->off_chip.ends, Bytes(expected.ends));
    EXPECT_EQ(plan.target->off_chip.total(), Bytes(expected.weights + expected.ends));
    EXPECT_EQ(plan.target->certificate.launches, expected.launches);
    EXPECT_EQ(plan.target->certificate.words_in_windows, plan.target->certificate.words);
    const auto checked = check_file({"p.json", write_plan(plan)}, *input, {}, *target);
    ASSERT_TRUE(checked) << to_string(checked.error());
    EXPECT_TRUE(checked->sound()) << checked->mismatch.value_or("");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, MlperfTiny,
    ::testing::Values(OnMicrocontroller{"mlc_ad01_int8", 256, 270880, 1280, 10},
                      OnMicrocontroller{"mlc_kws_dscnn_int8", 16000, 24376, 502, 13},
                      OnMicrocontroller{"mlc_resnet8_int8", 49152, 78752, 3082, 16},
                      OnMicrocontroller{"mlc_vww96_int8", 55296, 219072, 27650, 31}),
    [](const auto& test) { return std::string(test.param.model); });

}  // namespace
}  // namespace berth
