#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "berth/formats/file.h"
#include "berth/formats/tflite.h"
#include "tests/testing/shared_data.h"
#include "tests/testing/tflite_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

TestModel two_graphs() {
  const TestGraph main = {.tensors = {sized("a", 4), sized("b", 4), sized("c", 4)},
                          .inputs = {0},
                          .outputs = {2},
                          .ops = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}}};
  const TestGraph other = {.tensors = {sized("d", 1), sized("e", 1)}};
  return {{main, other}};
}

OfflinePlan some_plan(std::size_t tensors) {
  OfflinePlan plan(tensors);
  for (std::size_t i = 0; i < tensors; i += 2) plan[i] = Offset(16 * i);
  return plan;
}

// Embeds a plan, and looks at all that can be read.
void expect_embedded(const std::string& bytes) {
  const auto program = read_tflite(bytes, "m.tflite");
  ASSERT_TRUE(program) << to_string(program.error());
  const OfflinePlan plan = some_plan(program->tensors.size());
  const auto model = write_tflite_offline_plan(bytes, "m.tflite", plan);
  ASSERT_TRUE(model) << to_string(model.error());
  if (*read_tflite_offline_plan(bytes, "m.tflite")) {
    EXPECT_EQ(model->size(), bytes.size());  // in the place of the one before
  } else {
    EXPECT_TRUE(model->ends_with(bytes));
  }
  EXPECT_EQ((model->size() - bytes.size()) % 64, 0U);
  const auto again = read_tflite(*model, "m.tflite");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, *program);
  const auto read = read_tflite_offline_plan(*model, "m.tflite");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(**read, plan);
}

TEST(TfliteEmbed, AModelWithAPlanIsTheModelAndThePlan) {
  expect_embedded(tflite_bytes(two_graphs()));
}

TEST(TfliteEmbed, APlanTakesThePlaceOfTheOneBefore) {
  const auto once = write_tflite_offline_plan(tflite_bytes(two_graphs()), "m", OfflinePlan(5));
  ASSERT_TRUE(once);
  expect_embedded(*once);
}

TEST(TfliteEmbed, RefusesWhatItCannotHold) {
  OfflinePlan far(5);
  far[3] = Offset(std::uint64_t{1} << 31);
  const auto refused = write_tflite_offline_plan(tflite_bytes(two_graphs()), "m", far);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("offset 2147483648 of tensor 3"), std::string::npos);

  TestModel behind = two_graphs();
  behind.graphs[1].tensors[0].behind = {{64, 1}};
  EXPECT_FALSE(
      write_tflite_offline_plan(tflite_bytes(behind) + std::string(999, 'x'), "m", OfflinePlan(5)));
  EXPECT_FALSE(write_tflite_offline_plan("no model", "m", OfflinePlan(5)));
}

TEST(TfliteEmbed, PublicModelsKeepEveryByte) {
  const auto models = shared_data("models");
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "no public models beside the checkout";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".tflite") continue;
    SCOPED_TRACE(entry.path());
    expect_embedded(*read_file(entry.path()));
    ++count;
  }
  EXPECT_GT(count, 10U);
}

}  // namespace
}  // namespace berth
