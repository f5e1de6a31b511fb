// What is asked of a person: all of it at once, each flag once, in a line to paste.

#include <gtest/gtest.h>

#include <string>

#include "tests/model/models.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

void mystery(GraphWriter& g, const Names& inputs, const Names& outputs) {
  g.node("Mystery", inputs, outputs).set_domain("example");
}

void four_mysteries(GraphWriter& g) {
  g.input("x", {"n", 8});
  mystery(g, {"x"}, {"a"});
  g.node("Relu", {"a"}, {"b"});
  mystery(g, {"b"}, {"c"});
  mystery(g, {"c", "x"}, {"d e"});
  g.value("c", {"n", "m"}, kFloat16);
  g.node("Neg", {"d e"}, {"f"});
  g.output("f");
}

TEST(OpenSizes, OperatorsWithoutARuleAreAskedForAllAtOnceAndWithTheInputs) {
  EXPECT_EQ(refusal_of(four_mysteries),
            "m.onnx: leaves a size open: n; and the shapes that example.Mystery, example.Mystery, "
            "example.Mystery give are not known: the model does not say them, and there is no rule "
            "for such operators (add --bind n=N --shape a=DIMS:TYPE --bind m=N --shape 'd "
            "e=DIMS:TYPE'; for DIMS write sizes, such as 1x64; for TYPE an element type, such as "
            "float32)");
  const auto size = Dtype::of("int8");
  const auto settled = program_of(
      four_mysteries, {.bindings = {.symbols = {{"n", {2, 2}}, {"m", {3, 3}}},
                                    .shapes = {{"a", {{4}, size}}, {"d e", {{5, 5}, size}}}}});
  EXPECT_EQ(bytes_of(settled.program, "c"), Bytes(12));
  EXPECT_EQ(bytes_of(settled.program, "f"), Bytes(25));
}

TEST(OpenSizes, TheSameFlagStandsOnce) {
  EXPECT_EQ(refusal_of([](GraphWriter& g) {
              g.input("x", {2});
              mystery(g, {"x"}, {"a", "b"});
              g.value("a", {"k"});
              g.value("b", {"k", "k"});
              g.node("Relu", {"a"}, {"y"});
              g.output("y");
            }),
            "m.onnx: the shape that example.Mystery gives is not known: the model does not say it, "
            "and there is no rule for such an operator (add --bind k=N)");
}

TEST(OpenSizes, ManyOperatorsAreNamedInPartAndAskedForWhole) {
  const auto said = refusal_of([](GraphWriter& g) {
    g.input("x", {2});
    for (int i = 0; i < 40; ++i) {
      mystery(g, {i == 0 ? "x" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
    }
    g.output("v39");
  });
  EXPECT_NE(said.find("(and 32 more) give are not known"), std::string::npos) << said;
  for (int i = 0; i < 40; ++i) {
    EXPECT_NE(said.find("--shape v" + std::to_string(i) + "=DIMS:TYPE"), std::string::npos) << i;
  }
}

TEST(OpenSizes, InABodyToo) {
  const auto said = refusal_of([](GraphWriter& g) {
    g.input("x", {2});
    g.input("c", {}, kBoolean);
    mystery(g, {"x"}, {"a"});
    auto& node = g.node("If", {"c"}, {"r"});
    add_body(node, "then_branch", [](GraphWriter& b) {
      mystery(b, {"a"}, {"t"});
      b.output("t");
    });
    add_body(node, "else_branch", [](GraphWriter& b) {
      b.node("Relu", {"a"}, {"e"});
      b.output("e");
    });
    mystery(g, {"r"}, {"y"});
    g.output("y");
  });
  EXPECT_NE(said.find("add --shape a=DIMS:TYPE --shape t=DIMS:TYPE --shape y=DIMS:TYPE"),
            std::string::npos)
      << said;
}

TEST(OpenSizes, WhatOnlyTheRunDecidesIsNotAskedForBehindIt) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("x", {8});
    g.node("NonZero", {"x"}, {"places"});
    mystery(g, {"places"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(Lives(model.program).kept("y"), KeptWhy::Dynamic);
}

void grown_cache(GraphWriter& g) {
  g.input("pk", {1, 4, "past", 16});
  g.input("x", {1, "seq", 64});
  mystery(g, {"x", "pk"}, {"k"});
  g.value("k", {1, 4, "past + seq", 16});
  g.node("Relu", {"k"}, {"y"});
  g.output("y");
}

TEST(OpenSizes, ASumIsComputedFromItsParts) {
  EXPECT_EQ(refusal_of(grown_cache),
            "m.onnx: leaves sizes open: past, seq; and the shape that "
            "example.Mystery gives is not known: the model does not say "
            "it, and there is no rule for such an operator (add --bind "
            "past=N --bind seq=N)");
  const auto model = program_of(
      grown_cache, {.bindings = {.symbols = {{"past", {10, 10}}, {"seq", {1, 2}}}, .shapes = {}}});
  EXPECT_EQ(bytes_of(model.program, "k"), Bytes(4 * 12 * 16 * 4));
  // Bound as a whole, it is that.
  const auto whole = program_of(
      grown_cache,
      {.bindings = {.symbols = {{"past", {10, 10}}, {"seq", {2, 2}}, {"past + seq", {20, 20}}},
                    .shapes = {}}});
  EXPECT_EQ(bytes_of(whole.program, "k"), Bytes(4 * 20 * 16 * 4));
}

TEST(OpenSizes, OfAnInputTheSumAsksForPartsThatTheModelHas) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("ids", {"batch", "seq"}, kInt64);
    g.input("mask", {"batch", "past + seq"}, kInt64);
    g.input("odd", {"left + 1"}, kInt64);
    g.node("Neg", {"mask"}, {"y"});
    g.node("Neg", {"odd"}, {"z"});
    g.output("y");
    g.output("z");
  };
  EXPECT_EQ(refusal_of(write),
            "m.onnx: leaves sizes open: batch, seq, past + seq, left + 1 (add "
            "--bind batch=N --bind seq=N --bind 'past + seq=N' --bind 'left + "
            "1=N')");
  const auto model = program_of(
      write,
      {.bindings = {
           .symbols = {{"batch", {2, 2}}, {"seq", {3, 3}}, {"past", {4, 4}}, {"left", {5, 5}}},
           .shapes = {}}});
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(2 * 7 * 8));
  EXPECT_EQ(bytes_of(model.program, "z"), Bytes(6 * 8));
}

TEST(OpenSizes, ASumThatIsNoSizeIsAskedForAsAWhole) {
  const auto model = program_of(
      [](GraphWriter& g) {
        g.input("x", {"n"});
        g.node("NonZero", {"x"}, {"places"});
        g.value("places", {1, "n - 9"}, kInt64);
        g.node("Abs", {"places"}, {"y"});
        g.output("y");
      },
      {.bindings = {.symbols = {{"n", {4, 4}}}, .shapes = {}}});
  EXPECT_EQ(model.notes, (std::vector<std::string>{
                             "only the run decides some sizes, so these values and what depends on "
                             "them are not planned; to plan them, add --bind 'n - 9=N'"}));
}

}  // namespace
}  // namespace berth
