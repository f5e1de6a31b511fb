#include "berth/model/program.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/model/models.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

void sequence(GraphWriter& g) {
  g.input("ids", {"batch", "seq"}, kInt64);
  g.weight("table", {100, 8});
  g.node("Gather", {"table", "ids"}, {"y"});
  g.output("y", {"batch", "seq", 8});
}

Bindings bound(std::uint64_t batch, SizeRange seq) {
  return {.symbols = {{"batch", {batch, batch}}, {"seq", seq}}, .shapes = {}};
}

TEST(ModelProgram, SizesThatAreOpenAreAskedForAllAtOnce) {
  EXPECT_EQ(refusal_of(sequence),
            "m.onnx: leaves sizes open: batch, seq (add --bind batch=N --bind seq=N)");
  EXPECT_EQ(refusal_of([](GraphWriter& g) {
              g.input("x", {"", 3});
              g.input("y z", {"a b"});
              g.node("Relu", {"x"}, {"r"});
              g.output("r");
            }),
            "m.onnx: leaves sizes open: the shape of 'x', a b (add --shape x=Nx3 --bind 'a b=N')");
}

TEST(ModelProgram, BoundSizesFlowIntoEveryTensor) {
  const auto model = program_of(sequence, {.bindings = bound(2, {5, 5})});
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(2 * 5 * 8 * 4));
  EXPECT_TRUE(model.notes.empty());
}

TEST(ModelProgram, ARangeIsPlannedAtItsUpperEndAndSaysSo) {
  const auto model = program_of(sequence, {.bindings = bound(2, {1, 512})});
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(2 * 512 * 8 * 4));
  EXPECT_EQ(model.notes,
            (std::vector<std::string>{"planned at the upper bound: seq=512 (of 1..512)"}));
}

TEST(ModelProgram, WhatShrinksAsARangeGrowsHasItsSizeAtTheOtherEnd) {
  const auto model = program_of(
      [](GraphWriter& g) {
        g.input("x", {"n"});
        g.weight("whole", {16});
        g.node("Shape", {"x"}, {"n"});
        g.ints("end", {16});
        g.node("Slice", {"whole", "n", "end"}, {"rest"});
        g.node("Add", {"rest", "one"}, {"y"});
        g.input("one", {1});
        g.output("y");
      },
      {.bindings = {.symbols = {{"n", {4, 10}}}, .shapes = {}}});
  EXPECT_EQ(bytes_of(model.program, "x"), Bytes(40));
  EXPECT_EQ(bytes_of(model.program, "rest"), Bytes(48));
  EXPECT_EQ(model.notes.back(),
            "2 tensors are larger at other sizes of the range, and have the largest");
}

TEST(ModelProgram, ABranchIsLeftOutOnlyWhereNoSizeOfTheRangeTakesIt) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("x", {"n"});
    g.scalar("seven", 7);
    g.node("Size", {"x"}, {"size"});
    g.node("Equal", {"size", "seven"}, {"is_seven"});
    auto& node = g.node("If", {"is_seven"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      add_body(node, branch, [branch](GraphWriter& b) {
        b.node("Abs", {"x"}, {branch});
        b.output(branch);
      });
    }
    g.output("y");
  };
  const auto steps = [&](SizeRange n) {
    return program_of(write, {.bindings = {.symbols = {{"n", n}}, .shapes = {}}})
        .program.phases.size();
  };
  EXPECT_EQ(steps({7, 7}), 5U);
  EXPECT_EQ(steps({1, 10}), 8U);
}

TEST(ModelProgram, ABranchOfOneEndOfARangeNeedNotFitTheOther) {
  const auto model = program_of(
      [](GraphWriter& g) {
        g.input("x", {"n", 4});
        g.scalar("one", 1);
        g.ints("first", {0});
        g.node("Shape", {"x"}, {"shape"});
        g.node("Gather", {"shape", "zero"}, {"n"});
        g.scalar("zero", 0);
        g.node("Equal", {"n", "one"}, {"is_one"});
        auto& node = g.node("If", {"is_one"}, {"y"});
        add_body(node, "then_branch", [](GraphWriter& b) {
          b.node("Squeeze", {"x", "first"}, {"row"});
          b.output("row");
        });
        add_body(node, "else_branch", [](GraphWriter& b) {
          b.node("Identity", {"x"}, {"all"});
          b.output("all");
        });
        g.output("y");
      },
      {.bindings = {.symbols = {{"n", {1, 8}}}, .shapes = {}}});
  EXPECT_EQ(bytes_of(model.program, "row"), Bytes(16));
  EXPECT_EQ(bytes_of(model.program, "all"), Bytes(128));
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(128));
}

TEST(ModelProgram, ABoundSymbolThatAnOperatorContradictsIsRefused) {
  EXPECT_EQ(refusal_of(
                [](GraphWriter& g) {
                  g.input("past", {"p"});
                  g.input("now", {"n"});
                  g.node("Concat", {"past", "now"}, {"all"}, {{"axis", {0}}});
                  g.output("all", {"total"});
                },
                {.symbols = {{"p", {3, 3}}, {"n", {1, 1}}, {"total", {5, 5}}}, .shapes = {}}),
            "m.onnx: Concat: dimension 0 of its result 'all' is 4, but 'total' is bound to 5");
}

TEST(ModelProgram, AShapeThatTheModelContradictsIsTakenFromTheOperator) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("x", {2});
    g.node("Relu", {"x"}, {"y"});
    g.output("y", {3});
  });
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(8));
  EXPECT_EQ(model.notes,
            (std::vector<std::string>{"the model says shape [3] of 'y', but Relu gives "
                                      "[2], which is planned"}));
}

TEST(ModelProgram, AnOperatorWithoutARuleNamesTheFlagThatSettlesIt) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("x", {2});
    auto& node = g.node("Mystery", {"x"}, {"m"});
    node.set_domain("example");
    node.set_name("the one");
    g.node("Relu", {"m"}, {"y"});
    g.output("y", {"k"}, kFloat16);
  };
  EXPECT_EQ(refusal_of(write),
            "m.onnx: the shape that example.Mystery 'the one' gives is not known: the model does "
            "not say it, and there is no rule for such an operator (add --shape m=DIMS:TYPE; for "
            "DIMS write sizes, such as 1x64; for TYPE an element type, such as float32)");
  const auto model = program_of(
      write, {.bindings = {.symbols = {}, .shapes = {{"m", {{7}, Dtype::of("float16")}}}}});
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(14));
}

TEST(ModelProgram, WhatOnlyTheRunDecidesIsLeftOutByNameUnlessItIsBound) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("x", {8});
    g.node("NonZero", {"x"}, {"places"});
    g.value("places", {1, "found"}, kInt64);
    g.node("Abs", {"places"}, {"y"});
    g.output("y", {1, "found"}, kInt64);
  };
  const auto open = program_of(write);
  EXPECT_EQ(Lives(open.program).kept("places"), KeptWhy::Dynamic);
  EXPECT_EQ(Lives(open.program).kept("y"), KeptWhy::Dynamic);
  EXPECT_EQ(open.notes,
            (std::vector<std::string>{
                "only the run decides some sizes, so these values and what depends on them are not "
                "planned; to plan them, add --bind found=N"}));
  const auto settled =
      program_of(write, {.bindings = {.symbols = {{"found", {0, 8}}}, .shapes = {}}});
  EXPECT_EQ(bytes_of(settled.program, "y"), Bytes(64));
}

TEST(ModelProgram, NamesThatTheModelDoesNotHaveAreRefused) {
  EXPECT_EQ(refusal_of(sequence, {.symbols = {{"length", {1, 1}}}, .shapes = {}}),
            "--bind: m.onnx has no dimension 'length' (it has batch, seq)");
  EXPECT_EQ(
      refusal_of(sequence, {.symbols = {}, .shapes = {{"z", {{1}, {}}}}}),
      "--shape: m.onnx has no value 'z' (name an input of the model, or a result as the model "
      "names it)");
}

TEST(ModelProgram, WhatFollowsFromConstantsAloneIsAWeight) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("x", {2, 4});
    g.weight("w", {4, 2});
    g.node("Transpose", {"w"}, {"turned"});
    g.node("Add", {"x", "turned"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(steps_of(model.program), (std::vector<std::string>{"Add"}));
  EXPECT_EQ(Lives(model.program).kept("turned"), KeptWhy::Constant);
  EXPECT_EQ(bytes_of(model.program, "turned"), Bytes(32));
}

TEST(ModelProgram, RandomNumbersAreNoWeights) {
  const auto model = program_of([](GraphWriter& g) {
    g.node("RandomNormal", {}, {"noise"}, {{"shape", {2, 2}}});
    g.node("Relu", {"noise"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(model.program.phases.size(), 2U);
}

TEST(ModelProgram, PastAndPresentAreOneState) {
  const auto model = program_of(
      [](GraphWriter& g) {
        g.input("past_key_values.0.key", {2});
        g.input("h", {2});
        g.node("Add", {"past_key_values.0.key", "h"}, {"present.0.key"});
        g.node("Add", {"h", "present.0.key"}, {"h2"});
        g.node("Relu", {"h2"}, {"y"});
        g.output("present.0.key");
        g.output("h2");
        g.output("y");
      },
      {.states = {{"h", "h2"}}});
  const Lives lives(model.program);
  for (const char* name : {"past_key_values.0.key", "present.0.key", "h", "h2"}) {
    EXPECT_EQ(lives.kept(name), KeptWhy::Variable) << name;
  }
  EXPECT_EQ(lives.life("y"), (LiveRange{2, 3}));
}

TEST(ModelProgram, ViewsAndWritesInPlaceAreAskedFor) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("x", {4, 4});
    g.ints("flat", {-1});
    g.node("Relu", {"x"}, {"a"});
    g.node("Reshape", {"a", "flat"}, {"v"});
    g.node("Abs", {"v"}, {"b"});
    g.node("Softmax", {"b"}, {"y"});
    g.output("y");
  };
  EXPECT_EQ(Lives(program_of(write).program).instance().size(), 5U);
  EXPECT_EQ(Lives(program_of(write, {.views = true}).program).instance().size(), 4U);
  // x with a, v and b over it, then y: each element of it depends on all of b's.
  const Lives both(program_of(write, {.views = true, .in_place = true}).program);
  EXPECT_EQ(both.instance().size(), 2U);
}

TEST(ModelProgram, PartsOfAConcatMayStandInTheirWhole) {
  const auto joined = [](TestDims shape, std::int64_t axis) {
    return [=](GraphWriter& g) {
      g.input("x", shape);
      g.node("Softmax", {"x"}, {"a"});
      g.node("Softmax", {"a"}, {"b"});
      g.node("Concat", {"a", "b"}, {"j"}, {{"axis", {axis}}});
      g.node("Softmax", {"j"}, {"y"});
      g.output("y");
    };
  };
  // x, then a and b in j, then y.
  EXPECT_EQ(Lives(program_of(joined({1, 4}, 1), {.in_place = true}).program).instance().size(), 3U);
  EXPECT_EQ(Lives(program_of(joined({1, 4}, -1), {.in_place = true}).program).instance().size(),
            3U);
  EXPECT_EQ(Lives(program_of(joined({4, 4}, 0), {.in_place = true}).program).instance().size(), 3U);
  // Row by row, they take turns in it.
  EXPECT_EQ(Lives(program_of(joined({4, 4}, 1), {.in_place = true}).program).instance().size(), 5U);
}

TEST(ModelProgram, MoreDimensionsThan64AreRefused) {
  EXPECT_EQ(refusal_of([](GraphWriter& g) {
              g.input("x", {2});
              g.ints("ones", Ints(64, 1));
              g.node("Expand", {"x", "ones"}, {"a"});
              g.ints("axes", {0});
              g.node("Unsqueeze", {"a", "axes"}, {"y"});
              g.output("y");
            }),
            "m.onnx: Unsqueeze: its result 'y' has 65 dimensions; the limit is 64");
}

TEST(ModelProgram, ASizePast64BitsIsRefusedWithItsNumber) {
  EXPECT_EQ(
      refusal_of(
          [](GraphWriter& g) {
            g.input("x", {"n", "n"});
            g.node("Relu", {"x"}, {"y"});
            g.output("y");
          },
          {.symbols = {{"n", {std::uint64_t{1} << 32, std::uint64_t{1} << 32}}}, .shapes = {}}),
      "m.onnx: value 'x': shape [4294967296, 4294967296] of float32 needs "
      "73786976294838206464 bytes, more than 64 bits hold");
}

Bytes moved(const Program& program, std::size_t phase, const std::string& name,
            TensorAccess::Kind kind = TensorAccess::Kind::Read) {
  for (const TensorAccess& access : program.phases.at(phase).accesses) {
    const bool is_it = program.tensors[access.tensor.index()].name == name;
    if (is_it && access.kind == kind) return access.bytes;
  }
  ADD_FAILURE() << name << " is not touched by phase " << phase;
  return {};
}

TEST(ModelProgram, AStepMovesAllOfItsOperandsWeightsTooAndOfATableTheRowsItTakes) {
  const auto model = program_of(
      [](GraphWriter& g) {
        sequence(g);
        g.weight("w", {8});
        g.node("Mul", {"y", "w"}, {"z"});
        g.output("z");
      },
      {.bindings = bound(2, {5, 5})});
  const Program& program = model.program;
  EXPECT_EQ(moved(program, 0, "table"), Bytes(2 * 5 * 8 * 4));
  EXPECT_EQ(moved(program, 0, "ids"), Bytes(2 * 5 * 8));
  EXPECT_EQ(moved(program, 0, "y", TensorAccess::Kind::Write), Bytes(2 * 5 * 8 * 4));
  EXPECT_EQ(moved(program, 1, "w"), Bytes(32));
  EXPECT_EQ(program.tensors[program.phases[1].accesses[1].tensor.index()].kind, TensorKind::Weight);
}

TEST(ModelProgram, WhatALoopKeepsForItsNextTurnIsNotMoved) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("n", {}, kInt64);
    g.input("c", {}, kBoolean);
    g.input("x", {4});
    g.input("around", {4});
    auto& loop = g.node("Loop", {"n", "c", "x"}, {"y"});
    add_body(loop, "body", [](GraphWriter& b) {
      b.input("i", {}, kInt64);
      b.input("go", {}, kBoolean);
      b.input("in", {4});
      b.node("Add", {"in", "around"}, {"out"});
      b.output("go", {}, kBoolean);
      b.output("out", {4});
    });
    g.output("y", {4});
  });
  const Program& program = model.program;
  ASSERT_EQ(steps_of(program).back(), "Loop/body/exit");
  EXPECT_EQ(moved(program, 2, "around"), Bytes(16));
  EXPECT_EQ(moved(program, 3, "around"), Bytes(0));
  EXPECT_EQ(moved(program, 3, "out"), Bytes(16));
}

}  // namespace
}  // namespace berth
