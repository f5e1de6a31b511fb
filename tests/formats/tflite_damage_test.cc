// Damaged models: whatever the bytes, the reader gives a program or an error. The sanitizers that
// tests run with turn any read outside the file into a failure.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "berth/formats/tflite.h"
#include "berth/live/program_lives.h"
#include "tests/testing/shared_data.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

// Reads it in every way, and plans what it finds; says whether it was taken for a model.
bool survives(std::string_view bytes) {
  // A copy of exactly these bytes, so that a read past the end is a read past an allocation.
  const std::string exact(bytes);
  const auto plan = read_tflite_offline_plan(exact, "m.tflite");
  const auto program = read_tflite(exact, "m.tflite", {.views = true, .in_place = true});
  EXPECT_TRUE(program || !program.error().message.empty());
  EXPECT_TRUE(plan || !plan.error().message.empty());
  if (program) static_cast<void>(program_instance(*program, *Alignment::of(16)));
  return program.has_value();
}

// A model with a loop, a conditional, a view, constants, a state and a plan.
std::string rich_model() {
  const TestGraph main = {.tensors = {sized("x", 64),
                                      {"c", {}, kBool, 1},
                                      constant("k", 64),
                                      sized("a", 64),
                                      {"v", {8, 8}},
                                      {"s", {64}, kUint8, 0, true},
                                      sized("l", 64),
                                      sized("o", 64)},
                          .inputs = {0},
                          .outputs = {7},
                          .ops = {{kAdd, {0, 2, -1}, {3}},
                                  {kReshape, {3}, {4}},
                                  {kCustom, {4, 5}, {5}, {}, "Remember"},
                                  {kWhile, {3}, {6}, {1, 2}},
                                  {kIf, {1, 6}, {7}, {2, 2}}}};
  const TestGraph condition = {.tensors = {sized("seen", 64), {"flag", {}, kBool}},
                               .inputs = {0},
                               .outputs = {1},
                               .ops = {{kLess, {0}, {1}}}};
  const TestGraph body = {.tensors = {sized("bi", 64), sized("bo", 64)},
                          .inputs = {0},
                          .outputs = {1},
                          .ops = {{kRelu, {0}, {1}}}};
  std::string block(12 + 4 * 12, '\0');
  block[8] = 12;
  return tflite_bytes(TestModel{{main, condition, body}, block});
}

TEST(DamagedTflite, IsRefusedOrReadAtEveryLength) {
  const auto whole = rich_model();
  ASSERT_TRUE(survives(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) survives(whole.substr(0, length));
}

TEST(DamagedTflite, IsRefusedOrReadWithAnyOneByteChanged) {
  const auto whole = rich_model();
  std::size_t read = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      auto damaged = whole;
      damaged[at] = static_cast<char>(value);
      read += survives(damaged) ? 1 : 0;
    }
  }
  EXPECT_GT(read, whole.size());  // most bytes are names, shapes or data
}

TEST(DamagedTflite, IsRefusedOrReadWithManyBytesChanged) {
  const auto whole = rich_model();
  std::mt19937 random(20261130);
  for (int round = 0; round < 20000; ++round) {
    auto damaged = whole;
    const unsigned changes = 1 + random() % 8;
    for (unsigned change = 0; change < changes; ++change) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    survives(damaged);
  }
}

class DamagedModel : public ::testing::TestWithParam<const char*> {};

// Weights are most of a real file, so the damage goes where the tables are: the last part, and the
// first kilobyte.
TEST_P(DamagedModel, IsRefusedOrReadWhereverItIsDamaged) {
  const auto path = shared_data(std::string("models/") + GetParam() + ".tflite");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no model data beside us";
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::mt19937 random(20261130);
  for (int round = 0; round < 600; ++round) {
    auto damaged = whole;
    for (unsigned change = 0; change < 1 + static_cast<unsigned>(round) % 3; ++change) {
      const bool tail = random() % 4 != 0;
      const auto part = tail ? std::min<std::size_t>(whole.size(), 12000) : std::size_t{1024};
      const auto first = tail ? whole.size() - part : 0;
      damaged[first + random() % part] = static_cast<char>(random());
    }
    survives(damaged);
  }
  for (int round = 0; round < 100; ++round) survives(whole.substr(0, random() % whole.size()));
}

INSTANTIATE_TEST_SUITE_P(Models, DamagedModel,
                         ::testing::Values("tflm_audio_preprocessor_int8", "tflm_hello_world_int8",
                                           "tflm_keyword_scrambled_8bit", "mlc_kws_dscnn_int8",
                                           "tflm_micro_speech_int8", "mlc_resnet8_int8"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace berth
