#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

// Real models, and what an independent implementation found in them under the same rules. (In the
// audio preprocessor it took the 40 UINT64 of signal_filter_bank for 2 bytes each and summed up to
// 11888; they are 8.)
struct Anchor {
  const char* file;
  std::size_t steps;
  std::size_t planned;
  std::uint64_t sum;
  std::uint64_t peak;
  std::uint64_t peak_of_16;  // sizes rounded up to 16
};

constexpr std::array kAnchors = {
    Anchor{"mediapipe_face_detection_full_range_sparse", 160, 161, 37686768, 3588608, 3588608},
    Anchor{"mediapipe_pose_landmark_lite", 129, 130, 51256572, 6963200, 6963200},
    Anchor{"mediapipe_selfie_segmentation", 136, 137, 29960096, 3670016, 3670016},
    Anchor{"mlc_ad01_int8", 10, 11, 2312, 768, 768},
    Anchor{"mlc_kws_dscnn_int8", 13, 14, 72642, 16000, 16000},
    Anchor{"mlc_resnet8_int8", 16, 17, 117908, 49152, 49152},
    Anchor{"mlc_vww96_int8", 31, 32, 259716, 55296, 55296},
    Anchor{"tflm_audio_preprocessor_int8", 22, 25, 12128, 2060, 2096},
    Anchor{"tflm_dtln_noise_suppression", 4, 5, 1027, 514, 544},
    Anchor{"tflm_hello_world_int8", 3, 4, 34, 32, 32},
    Anchor{"tflm_keyword_scrambled_8bit", 15, 16, 718, 288, 288},
    Anchor{"tflm_micro_speech_int8", 4, 5, 7928, 5960, 5968},
    Anchor{"tflm_micro_speech_lstm", 4, 5, 20439, 16513, 16528},
    Anchor{"tflm_person_detect", 31, 32, 241030, 55296, 55296},
    Anchor{"tflm_person_detect_vela", 1, 2, 9218, 9218, 9232}};

std::filesystem::path path_of(const Anchor& anchor) {
  return testing::shared_data(std::string("models/") + anchor.file + ".tflite");
}

std::string bytes_of(const Anchor& anchor) {
  std::ifstream file(path_of(anchor), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::uint64_t sum_of_sizes(const Instance& instance) {
  std::uint64_t sum = 0;
  for (const Buffer& buffer : instance.buffers()) sum += buffer.size.count();
  return sum;
}

class TfliteAnchor : public ::testing::TestWithParam<Anchor> {
  void SetUp() override {
    if (!std::filesystem::exists(path_of(GetParam()))) GTEST_SKIP() << "no model data beside us";
  }
};

TEST_P(TfliteAnchor, HasTheTensorsAndTheLoadThatAnIndependentReaderFound) {
  const Anchor& anchor = GetParam();
  const auto program = read_tflite(bytes_of(anchor), anchor.file);
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->phases.size(), anchor.steps);
  const auto exact = program_instance(*program, Alignment());
  ASSERT_TRUE(exact) << to_string(exact.error());
  EXPECT_EQ(exact->instance.size(), anchor.planned);
  EXPECT_EQ(exact->members.size() + exact->kept.size(), program->tensors.size());
  EXPECT_EQ(sum_of_sizes(exact->instance), anchor.sum);
  EXPECT_EQ(testing::brute_max_load(exact->instance), anchor.peak);
  const auto padded = program_instance(*program, *Alignment::of(16));
  ASSERT_TRUE(padded) << to_string(padded.error());
  EXPECT_EQ(testing::brute_max_load(padded->instance), anchor.peak_of_16);
}

TEST_P(TfliteAnchor, NeedsNoMoreWithViewsAndWritesInPlace) {
  const Anchor& anchor = GetParam();
  const auto program =
      read_tflite(bytes_of(anchor), anchor.file, {.views = true, .in_place = true});
  ASSERT_TRUE(program) << to_string(program.error());
  const auto planned = program_instance(*program, Alignment());
  ASSERT_TRUE(planned) << to_string(planned.error());
  EXPECT_EQ(planned->members.size(), anchor.planned);
  EXPECT_LE(planned->instance.size(), anchor.planned);
  EXPECT_LE(testing::brute_max_load(planned->instance), anchor.peak);
}

INSTANTIATE_TEST_SUITE_P(Models, TfliteAnchor, ::testing::ValuesIn(kAnchors),
                         [](const auto& model) { return std::string(model.param.file); });

TEST(TfliteOfflinePlan, OfAnAcceleratorsModelFixesItsScratchAndItsInput) {
  const Anchor& vela = kAnchors.back();
  if (!std::filesystem::exists(path_of(vela))) GTEST_SKIP() << "no model data beside us";
  const auto plan = read_tflite_offline_plan(bytes_of(vela), vela.file);
  ASSERT_TRUE(plan) << to_string(plan.error());
  ASSERT_TRUE(*plan);
  const OfflinePlan expected = {Offset(0), std::nullopt, std::nullopt,
                                Offset(0), Offset(0),    Offset(0)};
  EXPECT_EQ(**plan, expected);
  const auto none = read_tflite_offline_plan(bytes_of(kAnchors[3]), kAnchors[3].file);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace berth
