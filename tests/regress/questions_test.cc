// What a model leaves open is asked for in one round, and a line that was asked can be pasted.

#include <gtest/gtest.h>

#include <string>

#include "tests/regress/bug_corpus.h"
#include "tests/testing/onnx_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

constexpr int kUint8 = 2;

// Four quantized sums in a row, as ONNX Runtime's quantizer writes them.
void quantized_sums(GraphWriter& g, const std::string& op) {
  g.input("x", {1, 8, 16, 16}, kUint8);
  g.weight("s", {}).add_float_data(0.5F);
  g.weight("o", {}, kUint8).add_int32_data(3);
  std::string before = "x";
  for (int i = 0; i < 4; ++i) {
    const std::string next = "a" + std::to_string(i);
    g.node(op, {before, "s", "o", before, "s", "o", "s", "o"}, {next}).set_domain("com.microsoft");
    before = next;
  }
  g.node("DequantizeLinear", {before, "s", "o"}, {"z"});
  g.output("z");
}

TEST(Questions, QuantizedSumsArePlanned) {
  const Plan plan =
      test::planned(onnx_bytes([](GraphWriter& g) { quantized_sums(g, "QLinearAdd"); }, 13));
  EXPECT_EQ(test::arena_bytes(plan), 2048u * 5);
}

TEST(Questions, FourOperatorsWithoutARuleAreAskedForAtOnce) {
  const std::string model =
      onnx_bytes([](GraphWriter& g) { quantized_sums(g, "QLinearMystery"); }, 13);
  const std::string said = test::refusal(model);
  EXPECT_NE(said.find("(add --shape a0=DIMS:TYPE --shape a1=DIMS:TYPE --shape a2=DIMS:TYPE --shape "
                      "a3=DIMS:TYPE; for DIMS write sizes"),
            std::string::npos)
      << said;
  PlanOptions options;
  for (const char* name : {"a0", "a1", "a2", "a3"}) {
    options.bindings.shapes.emplace_back(name, GivenShape{{1, 8, 16, 16}, Dtype::of("uint8")});
  }
  EXPECT_EQ(test::arena_bytes(test::planned(model, options)), 2048u * 5);
}

// An attention whose present has the size "past + seq".
std::string grown_cache(const std::string& domain) {
  return onnx_bytes(
      [&](GraphWriter& g) {
        g.input("x", {1, "seq", 64});
        g.input("pk", {1, 4, "past", 16});
        g.input("pv", {1, 4, "past", 16});
        g.node("Attention", {"x", "x", "x", "", "pk", "pv"}, {"o", "k2", "v2"},
               {{"q_num_heads", {4}}, {"kv_num_heads", {4}}})
            .set_domain(domain);
        g.output("o", {1, "seq", 64});
        g.output("k2", {1, 4, "past + seq", 16});
        g.output("v2", {1, 4, "past + seq", 16});
      },
      23);
}

TEST(Questions, ASumOfSizesIsComputedWithARuleAndWithout) {
  PlanOptions options;
  options.bindings.symbols = {{"past", {10, 10}}, {"seq", {2, 2}}};
  for (const char* domain : {"", "example"}) {
    EXPECT_NE(test::refusal(grown_cache(domain)).find("add --bind seq=N --bind past=N)"),
              std::string::npos)
        << test::refusal(grown_cache(domain));
    const Plan plan = test::planned(grown_cache(domain), options);
    EXPECT_EQ(test::arena_bytes(plan), 2u * 512 + 2 * 2560 + 2 * 3072) << domain;
  }
}

}  // namespace
}  // namespace berth
