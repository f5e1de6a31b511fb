#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "berth/formats/file.h"
#include "berth/formats/onnx.h"
#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "berth/model/program.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

// A real model, and what an independent implementation found in it under the same rules.
struct Anchor {
  const char* file;
  std::size_t steps;
  std::size_t planned;
  std::uint64_t sum;
  std::uint64_t peak;
  std::uint64_t peak_of_16 = 0;  // sizes rounded up to 16; 0: it did not say
};

constexpr std::array kAnchors = {
    Anchor{"mediapipe_face_detection_full_range_sparse.tflite", 160, 161, 37686768, 3588608,
           3588608},
    Anchor{"mediapipe_pose_landmark_lite.tflite", 129, 130, 51256572, 6963200, 6963200},
    Anchor{"mediapipe_selfie_segmentation.tflite", 136, 137, 29960096, 3670016, 3670016},
    Anchor{"mlc_ad01_int8.tflite", 10, 11, 2312, 768, 768},
    Anchor{"mlc_kws_dscnn_int8.tflite", 13, 14, 72642, 16000, 16000},
    Anchor{"mlc_resnet8_int8.tflite", 16, 17, 117908, 49152, 49152},
    Anchor{"mlc_vww96_int8.tflite", 31, 32, 259716, 55296, 55296},
    // It took the 40 UINT64 of signal_filter_bank for 2 bytes each (they are 8) and found 11888.
    Anchor{"tflm_audio_preprocessor_int8.tflite", 22, 25, 11888 + 40 * 6, 2060, 2096},
    Anchor{"tflm_dtln_noise_suppression.tflite", 4, 5, 1027, 514, 544},
    Anchor{"tflm_hello_world_int8.tflite", 3, 4, 34, 32, 32},
    Anchor{"tflm_keyword_scrambled_8bit.tflite", 15, 16, 718, 288, 288},
    Anchor{"tflm_micro_speech_int8.tflite", 4, 5, 7928, 5960, 5968},
    Anchor{"tflm_micro_speech_lstm.tflite", 4, 5, 20439, 16513, 16528},
    Anchor{"tflm_person_detect.tflite", 31, 32, 241030, 55296, 55296},
    Anchor{"tflm_person_detect_vela.tflite", 1, 2, 9218, 9218, 9232},
    Anchor{"onnx_light_densenet121.onnx", 668, 669, 321084320, 8429568},
    Anchor{"onnx_light_inception_v2.onnx", 371, 372, 85146048, 6422528},
    Anchor{"onnx_light_resnet50.onnx", 176, 177, 150853440, 9633792},
    // It gave the masks of Dropout no size, which stand apart here.
    Anchor{"onnx_light_squeezenet.onnx", 66, 68, 28793728 + 512 * 13 * 13 * 4, 6308352},
    Anchor{"onnx_light_vgg19.onnx", 46, 49, 125747008 + 2 * 4096 * 4, 25690112},
    Anchor{"onnx_light_zfnet512.onnx", 22, 23, 19442112, 9124608},
    Anchor{"ort_examples_mnist.onnx", 11, 12, 124432, 50176},
    Anchor{"ort_examples_ultraface_rfb320.onnx", 126, 127, 27049440, 4915200},
    Anchor{"ort_simplified_ssd.onnx", 10, 11, 331560000, 207360000}};

std::filesystem::path path_of(const std::string& file) {
  return testing::shared_data("models/" + file);
}

std::string bytes_of(const std::string& file) {
  return read_file(path_of(file).string()).value();
}

enum class Sharing { None, ViewsAndInPlace };

Result<Program> program_of(const std::string& file, Sharing sharing) {
  const bool shares = sharing == Sharing::ViewsAndInPlace;
  const std::string bytes = bytes_of(file);
  if (file.ends_with(".tflite")) {
    return read_tflite(bytes, file, {.views = shares, .in_place = shares});
  }
  const auto graph = read_onnx(bytes, file);
  if (!graph) return tl::unexpected(graph.error());
  return model_program(*graph, {.views = shares, .in_place = shares}).map([](ModelProgram model) {
    EXPECT_TRUE(model.notes.empty());
    return std::move(model.program);
  });
}

std::uint64_t sum_of_sizes(const Instance& instance) {
  std::uint64_t sum = 0;
  for (const Buffer& buffer : instance.buffers()) sum += buffer.size.count();
  return sum;
}

class ModelAnchor : public ::testing::TestWithParam<Anchor> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(path_of(GetParam().file))) GTEST_SKIP() << "no model data";
  }
};

TEST_P(ModelAnchor, HasTheTensorsAndTheLoadThatAnIndependentReaderFound) {
  const Anchor& anchor = GetParam();
  const auto program = program_of(anchor.file, Sharing::None);
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(program->phases.size(), anchor.steps);
  const auto exact = program_instance(*program, Alignment());
  ASSERT_TRUE(exact) << to_string(exact.error());
  EXPECT_EQ(exact->instance.size(), anchor.planned);
  EXPECT_EQ(exact->members.size() + exact->kept.size(), program->tensors.size());
  EXPECT_EQ(sum_of_sizes(exact->instance), anchor.sum);
  EXPECT_EQ(testing::brute_max_load(exact->instance), anchor.peak);
  if (anchor.peak_of_16 == 0) return;
  const auto padded = program_instance(*program, *Alignment::of(16));
  ASSERT_TRUE(padded) << to_string(padded.error());
  EXPECT_EQ(testing::brute_max_load(padded->instance), anchor.peak_of_16);
}

TEST_P(ModelAnchor, NeedsNoMoreWithViewsAndWritesInPlace) {
  const Anchor& anchor = GetParam();
  const auto program = program_of(anchor.file, Sharing::ViewsAndInPlace);
  ASSERT_TRUE(program) << to_string(program.error());
  const auto planned = program_instance(*program, Alignment());
  ASSERT_TRUE(planned) << to_string(planned.error());
  EXPECT_EQ(planned->members.size(), anchor.planned);
  EXPECT_LE(planned->instance.size(), anchor.planned);
  EXPECT_LE(testing::brute_max_load(planned->instance), anchor.peak);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelAnchor, ::testing::ValuesIn(kAnchors), [](const auto& model) {
  const std::string file = model.param.file;
  return file.substr(0, file.find('.'));
});

TEST(TfliteOfflinePlan, OfAnAcceleratorsModelFixesItsScratchAndItsInput) {
  const std::string vela = "tflm_person_detect_vela.tflite";
  if (!std::filesystem::exists(path_of(vela))) GTEST_SKIP() << "no model data";
  const auto plan = read_tflite_offline_plan(bytes_of(vela), vela);
  ASSERT_TRUE(plan) << to_string(plan.error());
  ASSERT_TRUE(*plan);
  const OfflinePlan expected = {Offset(0), std::nullopt, std::nullopt,
                                Offset(0), Offset(0),    Offset(0)};
  EXPECT_EQ(**plan, expected);
  const auto none = read_tflite_offline_plan(bytes_of("mlc_ad01_int8.tflite"), "ad01");
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace berth
