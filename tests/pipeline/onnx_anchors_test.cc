#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "berth/formats/onnx.h"
#include "berth/live/program_lives.h"
#include "berth/model/program.h"
#include "tests/testing/instance_facts.h"
#include "tests/testing/shared_data.h"

namespace berth {
namespace {

// Real models, and what an independent implementation found in them under the same rules. It gave
// the masks of Dropout no size, which this one knows; they stand apart.
struct Anchor {
  const char* file;
  std::size_t steps;
  std::size_t planned;
  std::uint64_t sum;
  std::uint64_t masks;
  std::uint64_t peak;
};

constexpr std::array kAnchors = {
    Anchor{"onnx_light_densenet121", 668, 669, 321084320, 0, 8429568},
    Anchor{"onnx_light_inception_v2", 371, 372, 85146048, 0, 6422528},
    Anchor{"onnx_light_resnet50", 176, 177, 150853440, 0, 9633792},
    Anchor{"onnx_light_squeezenet", 66, 68, 28793728, 512 * 13 * 13 * 4, 6308352},
    Anchor{"onnx_light_vgg19", 46, 49, 125747008, 2 * 4096 * 4, 25690112},
    Anchor{"onnx_light_zfnet512", 22, 23, 19442112, 0, 9124608},
    Anchor{"ort_examples_mnist", 11, 12, 124432, 0, 50176},
    Anchor{"ort_examples_ultraface_rfb320", 126, 127, 27049440, 0, 4915200},
    Anchor{"ort_simplified_ssd", 10, 11, 331560000, 0, 207360000}};

std::filesystem::path path_of(const Anchor& anchor) {
  return testing::shared_data(std::string("models/") + anchor.file + ".onnx");
}

Program program_of(const Anchor& anchor, const ModelOptions& options) {
  std::ifstream file(path_of(anchor), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto graph = read_onnx(bytes, anchor.file);
  EXPECT_TRUE(graph) << to_string(graph.error());
  auto model = model_program(*graph, options);
  EXPECT_TRUE(model) << to_string(model.error());
  EXPECT_TRUE(model->notes.empty());
  return std::move(model->program);
}

std::uint64_t sum_of_sizes(const Instance& instance) {
  std::uint64_t sum = 0;
  for (const Buffer& buffer : instance.buffers()) sum += buffer.size.count();
  return sum;
}

class OnnxAnchor : public ::testing::TestWithParam<Anchor> {
  void SetUp() override {
    if (!std::filesystem::exists(path_of(GetParam()))) GTEST_SKIP() << "no model data beside us";
  }
};

TEST_P(OnnxAnchor, HasTheTensorsAndTheLoadThatAnIndependentReaderFound) {
  const Anchor& anchor = GetParam();
  const Program program = program_of(anchor, {});
  EXPECT_EQ(program.phases.size(), anchor.steps);
  const auto exact = program_instance(program, Alignment());
  ASSERT_TRUE(exact) << to_string(exact.error());
  EXPECT_EQ(exact->instance.size(), anchor.planned);
  EXPECT_EQ(sum_of_sizes(exact->instance), anchor.sum + anchor.masks);
  EXPECT_EQ(testing::brute_max_load(exact->instance), anchor.peak);
}

TEST_P(OnnxAnchor, NeedsNoMoreWithViewsAndWritesInPlace) {
  const Anchor& anchor = GetParam();
  const Program program = program_of(anchor, {.views = true, .in_place = true});
  const auto planned = program_instance(program, Alignment());
  ASSERT_TRUE(planned) << to_string(planned.error());
  EXPECT_EQ(planned->members.size(), anchor.planned);
  EXPECT_LE(planned->instance.size(), anchor.planned);
  EXPECT_LE(testing::brute_max_load(planned->instance), anchor.peak);
}

INSTANTIATE_TEST_SUITE_P(Models, OnnxAnchor, ::testing::ValuesIn(kAnchors),
                         [](const auto& model) { return std::string(model.param.file); });

}  // namespace
}  // namespace berth
