#include "berth/formats/onnx.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/testing/onnx_model.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

ModelGraph read(const std::string& bytes) {
  auto graph = read_onnx(bytes, "m.onnx");
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? *std::move(graph) : ModelGraph{};
}

ModelGraph read(const WriteGraph& write) {
  return read(onnx_bytes(write));
}

std::string refusal(const std::string& bytes) {
  const auto graph = read_onnx(bytes, "m.onnx");
  EXPECT_FALSE(graph);
  return graph ? "" : to_string(graph.error());
}

std::string refusal(const WriteGraph& write) {
  return refusal(onnx_bytes(write));
}

TEST(Onnx, NamesBecomeValuesAndNodesReadThem) {
  const auto graph = read([](GraphWriter& g) {
    g.input("x", {"batch", 3});
    g.weight("w", {3, 4});
    g.node("MatMul", {"x", "w"}, {"y"}).set_name("mm");
    g.output("y", {"batch", 4});
  });
  ASSERT_EQ(graph.values.size(), 3U);
  const ModelBlock& main = graph.blocks.at(0);
  ASSERT_EQ(main.nodes.size(), 1U);
  EXPECT_EQ(main.nodes[0].opset, 17);
  EXPECT_EQ(title_of(main.nodes[0]), "MatMul 'mm'");
  EXPECT_EQ(main.nodes[0].outputs[0], main.outputs[0]);
  EXPECT_EQ(main.nodes[0].inputs[0], main.inputs[0]);
  const ModelValue& x = graph.values[main.inputs[0].index()];
  EXPECT_EQ(x.declared.element, Dtype::of("float32"));
  EXPECT_EQ(x.declared.dims->at(0).symbol, "batch");
  EXPECT_EQ(x.declared.dims->at(1).size, 3U);
}

TEST(Onnx, AnInputWithAnInitializerIsAConstant) {
  const auto graph = read([](GraphWriter& g) {
    g.input("x", {2});
    g.input("w", {2});
    g.weight("w", {2});
    g.node("Add", {"x", "w"}, {"y"});
    g.output("y");
  });
  ASSERT_EQ(graph.blocks[0].inputs.size(), 1U);
  EXPECT_EQ(graph.values[graph.blocks[0].inputs[0].index()].name, "x");
}

TEST(Onnx, SmallConstantsKeepTheirNumbersInEachFormOfTheData) {
  const auto graph = read([](GraphWriter& g) {
    g.ints("listed", {1, -2});
    g.weight("raw", {2}, kInt32).set_raw_data(std::string("\1\0\0\0\xFF\xFF\xFF\xFF", 8));
    g.weight("real", {1}).add_float_data(0.5F);
    g.weight("elsewhere", {1}).set_data_location(1);
    g.weight("large", {4096}, kInt64);
    auto& node = g.node("Constant", {}, {"said"});
    node.add_attribute()->set_name("value_ints");
    node.mutable_attribute(0)->add_ints(7);
    g.output("said");
  });
  const auto numbers = [&](std::size_t i) { return graph.values.at(i).constant->numbers; };
  EXPECT_EQ(numbers(0), (Numbers{Numbers::Ints{1, -2}}));
  EXPECT_EQ(numbers(1), (Numbers{Numbers::Ints{1, -1}}));
  EXPECT_EQ(numbers(2), (Numbers{Numbers::Reals{0.5}}));
  EXPECT_FALSE(numbers(3));
  EXPECT_FALSE(numbers(4));
  EXPECT_EQ(numbers(5), (Numbers{Numbers::Ints{7}}));
  EXPECT_TRUE(graph.blocks[0].nodes.empty());
}

TEST(Onnx, BodiesSeeTheNamesAroundThemAndMayShadowThem) {
  const auto graph = read([](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    g.input("x", {2});
    auto& node = g.node("If", {"c"}, {"y"});
    add_body(node, "then_branch", [](GraphWriter& t) {
      t.node("Relu", {"x"}, {"r"});
      t.output("r");
    });
    add_body(node, "else_branch", [](GraphWriter& e) {
      e.node("Neg", {"x"}, {"x2"});
      e.node("Identity", {"x2"}, {"x"});
      e.output("x");
    });
    g.node("Abs", {"x"}, {"z"});
    g.output("z");
  });
  ASSERT_EQ(graph.blocks.size(), 3U);
  const TensorId x = graph.blocks[0].inputs[1];
  EXPECT_EQ(graph.blocks[1].nodes[0].inputs[0], x);
  EXPECT_NE(graph.blocks[2].outputs[0], x);
  EXPECT_EQ(graph.blocks[0].nodes[1].inputs[0], x);
  EXPECT_EQ(graph.blocks[0].nodes[0].bodies[1].name, "else_branch");
}

TEST(Onnx, OfEqualNamesTheOuterOneComesFirst) {
  const auto graph = read([](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    g.input("x", {2});
    auto& node = g.node("If", {"c"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      add_body(node, branch, [](GraphWriter& b) {
        b.node("Relu", {"x"}, {"y"});
        b.output("y");
      });
    }
    g.output("y");
  });
  EXPECT_LT(graph.blocks[0].outputs[0], graph.blocks[1].outputs[0]);
  EXPECT_EQ(graph.values[graph.blocks[0].outputs[0].index()].name, "y");
}

TEST(Onnx, AFunctionStandsWhereItIsCalled) {
  auto model = onnx_model([](GraphWriter& g) {
    g.input("x", {2});
    auto& call = g.node("Twice", {"x"}, {"y"});
    call.set_domain("local");
    auto& alpha = *call.add_attribute();
    alpha.set_name("to");
    alpha.set_i(7);
    g.node("Abs", {"y"}, {"z"});
    g.output("z");
  });
  auto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name("Twice");
  function.add_input("a");
  function.add_output("b");
  function.add_opset_import()->set_version(13);
  auto& first = *function.add_node();
  first.set_op_type("Relu");
  first.add_input("a");
  first.add_output("t");
  auto& second = *function.add_node();
  second.set_op_type("Cast");
  second.add_input("t");
  second.add_output("b");
  second.add_attribute()->set_name("to");
  second.mutable_attribute(0)->set_from_caller("to");
  const auto graph = read(onnx_bytes(model));
  const auto& nodes = graph.blocks[0].nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].op, "Relu");
  EXPECT_EQ(nodes[0].opset, 13);
  EXPECT_EQ(std::get<std::int64_t>(*nodes[1].attribute("to")), 7);
  EXPECT_EQ(nodes[2].inputs[0], nodes[1].outputs[0]);
}

// What a function gives is called what its caller calls it; what it only passes on is copied where
// that is a result of the model.
TEST(Onnx, TheResultsOfAFunctionHaveTheNamesOfTheCaller) {
  auto model = onnx_model([](GraphWriter& g) {
    g.input("x", {2});
    g.node("Both", {"x"}, {"mid", "same"}).set_domain("local");
    g.node("Relu", {"mid"}, {"r"});
    g.node("Both", {"r"}, {"out", "kept"}).set_domain("local");
    g.output("out");
    g.output("kept");
  });
  auto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name("Both");
  function.add_input("a");
  function.add_output("b");
  function.add_output("a");
  function.add_opset_import()->set_version(13);
  auto& node = *function.add_node();
  node.set_op_type("Abs");
  node.add_input("a");
  node.add_output("b");
  const auto graph = read(onnx_bytes(model));
  Names names;
  for (const ModelValue& value : graph.values) names.push_back(value.name);
  EXPECT_EQ(names, (Names{"x", "mid", "r", "out", "kept"}));
  EXPECT_EQ(graph.blocks[0].nodes.back().op, "Identity");
  EXPECT_EQ(graph.blocks[0].outputs[1], graph.blocks[0].nodes.back().outputs[0]);
}

TEST(Onnx, AFunctionThatCallsItselfIsRefused) {
  auto model = onnx_model([](GraphWriter& g) {
    g.input("x", {2});
    g.node("F", {"x"}, {"y"}).set_domain("local");
    g.output("y");
  });
  auto& function = *model.add_functions();
  function.set_domain("local");
  function.set_name("F");
  function.add_input("a");
  function.add_output("b");
  auto& node = *function.add_node();
  node.set_op_type("F");
  node.set_domain("local");
  node.add_input("a");
  node.add_output("b");
  EXPECT_EQ(refusal(onnx_bytes(model)),
            "m.onnx: node 0 (F): node 0 (F): is a function that calls itself, directly or by "
            "others");
}

TEST(Onnx, NodesOutOfOrderArePutInOrderAndANoteSaysSo) {
  const auto graph = read([](GraphWriter& g) {
    g.input("x", {2});
    g.node("Abs", {"a"}, {"b"});
    g.node("Relu", {"x"}, {"a"});
    g.output("b");
  });
  EXPECT_EQ(graph.blocks[0].nodes[0].op, "Relu");
  EXPECT_EQ(graph.blocks[0].nodes[1].op, "Abs");
  EXPECT_EQ(graph.notes.size(), 1U);
}

TEST(Onnx, ABodyThatReadsALaterResultWaitsForItToo) {
  const auto graph = read([](GraphWriter& g) {
    g.input("c", {}, kBoolean);
    auto& node = g.node("If", {"c"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
      add_body(node, branch, [](GraphWriter& b) {
        b.node("Relu", {"late"}, {"r"});
        b.output("r");
      });
    }
    g.input("x", {2});
    g.node("Abs", {"x"}, {"late"});
    g.output("y");
  });
  EXPECT_EQ(graph.blocks[0].nodes[0].op, "Abs");
}

TEST(Onnx, ACircleIsRefusedByItsNodes) {
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.node("Relu", {"b"}, {"a"});
              g.node("Abs", {"a"}, {"b"});
              g.output("b");
            }),
            "m.onnx: node 0 (Relu): reads 'b', which depends on it in turn, by node 1 (Abs): a "
            "circle");
}

TEST(Onnx, TwoWritersOfOneNameAreRefused) {
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.input("x", {2});
              g.node("Relu", {"x"}, {"y"}).set_name("first");
              g.node("Abs", {"x"}, {"y"});
              g.output("y");
            }),
            "m.onnx: node 1 (Abs): writes 'y', which node 0 (Relu 'first') writes too (give each "
            "value a name of its own)");
}

TEST(Onnx, AWriterOfAnInputIsRefused) {
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.input("x", {2});
              g.node("Relu", {"x"}, {"x"});
              g.output("x");
            }),
            "m.onnx: node 0 (Relu): writes 'x', which an input of its graph writes too (give each "
            "value a name of its own)");
}

TEST(Onnx, AMissingInputIsRefusedByName) {
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.node("Relu", {"nowhere"}, {"y"});
              g.output("y");
            }),
            "m.onnx: node 0 (Relu): reads 'nowhere', which is no input, initializer or result");
}

TEST(Onnx, AMissingOutputIsRefusedByName) {
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.input("x", {2});
              g.output("y");
            }),
            "m.onnx: output 'y': nothing gives it a value (it must be the name of an input, an "
            "initializer or a result)");
}

TEST(Onnx, TensorsThatDoNotHoldWhatTheySayAreRefused) {
  EXPECT_EQ(refusal([](GraphWriter& g) { g.weight("w", {3}).set_raw_data("12345678"); }),
            "m.onnx: initializer 'w': its shape needs 12 bytes, its data has 8");
  EXPECT_EQ(refusal([](GraphWriter& g) { g.weight("w", {-1}); }),
            "m.onnx: initializer 'w': dimension 0 of its shape is -1");
  EXPECT_EQ(refusal([](GraphWriter& g) { g.weight("w", {1}, 99); }),
            "m.onnx: initializer 'w': its element type 99 is not known");
  EXPECT_EQ(refusal([](GraphWriter& g) {
              g.weight("w", {std::int64_t{1} << 62, 4});
            }),
            "m.onnx: initializer 'w': it needs 73786976294838206464 bytes, more than 64 bits hold");
}

TEST(Onnx, AFileThatIsCutIsRefusedWhereverItIsCut) {
  const std::string bytes = onnx_bytes([](GraphWriter& g) {
    g.input("x", {"batch", 3});
    g.weight("w", {3, 4});
    g.node("MatMul", {"x", "w"}, {"y"});
    g.output("y", {"batch", 4});
  });
  EXPECT_EQ(
      refusal(bytes.substr(0, 50)),
      "m.onnx: is cut short or damaged: the field at byte 2 goes past byte 50, where the file "
      "ends (fetch or export the model again)");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto graph = read_onnx(std::string(bytes, 0, size), "m.onnx");
    EXPECT_FALSE(graph) << size;
  }
}

std::string varint(std::size_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

// What stands before each nested graph, from the inside out: each is the end of what holds it.
std::string nested_ifs(std::size_t depth) {
  std::vector<std::string> heads;
  std::size_t size = 0;  // of the graph that was written last
  const auto before = [&](char tag, std::size_t length) { return tag + varint(length); };
  for (std::size_t i = 0; i < depth; ++i) {
    std::string head = before('\x0A', 11) + "then_branch" + before('\x32', size);
    head = before('\x22', 2) + "If" + before('\x2A', head.size() + size) + head;
    head = before('\x0A', head.size() + size) + head;
    size += head.size();
    heads.push_back(std::move(head));
  }
  std::string bytes = std::string("\x08\x08", 2) + before('\x3A', size);
  for (std::size_t i = heads.size(); i-- > 0;) bytes += heads[i];
  return bytes + std::string("\x42\x02\x10\x11", 4);
}

TEST(Onnx, GraphsNestedTooDeepAreRefused) {
  EXPECT_EQ(read(nested_ifs(63)).blocks.size(), 64U);
  EXPECT_EQ(refusal(nested_ifs(10'000)),
            "m.onnx: nests more than 64 graphs in each other (fetch or export the model again)");
}

TEST(Onnx, AModelThatNamesNoVersionOfItsOperatorsIsRefused) {
  auto model = onnx_model([](GraphWriter& g) {
    g.input("x", {2});
    g.node("Relu", {"x"}, {"y"});
    g.output("y");
  });
  model.clear_opset_import();
  EXPECT_EQ(refusal(onnx_bytes(model)),
            "m.onnx: node 0 (Relu): the model does not say which version of the operators it uses "
            "(it needs an opset_import)");
}

TEST(Onnx, WhatIsNoModelIsRefused) {
  EXPECT_EQ(refusal(std::string()), "m.onnx: holds no graph (fetch or export the model again)");
  EXPECT_NE(refusal("some text, and more of it"), "");
}

}  // namespace
}  // namespace berth
