// Operators that are told the size of what they give: signals, images, losses, text.

#include <gtest/gtest.h>

#include "tests/model/rule_cases.h"

namespace berth {
namespace {

using namespace testing;  // NOLINT: the small language of these tests

std::string signal(const std::string& op, const TestDims& x, const std::vector<Ints>& told,
                   const Attributes& attributes, std::int64_t opset) {
  return y(
      [&](GraphWriter& g) {
        g.input("x", x);
        Names names = {"x"};
        for (const Ints& one : told) {
          names.push_back(one.empty() ? "" : "t" + std::to_string(names.size()));
          if (!one.empty()) g.scalar(names.back(), one[0]);
        }
        g.node(op, names, {"y"}, attributes);
        g.output("y");
      },
      opset);
}

TEST(SignalRules, ASpectrumHasHalfTheFrequenciesWhereTheOthersMirrorThem) {
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {}, {}, 17), "float32[2, 9, 2]");
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {}, {{"onesided", {1}}}, 17), "float32[2, 5, 2]");
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {{6}}, {{"axis", {0}}}, 17), "float32[6, 9, 2]");
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {{}, {0}}, {{"onesided", {1}}}, 20), "float32[2, 9, 2]");
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {}, {{"onesided", {1}}}, 20), "float32[2, 5, 2]");
  EXPECT_EQ(signal("DFT", {2, 5, 2}, {}, {{"onesided", {1}}, {"inverse", {1}}}, 20),
            "float32[2, 8, 1]");
  EXPECT_EQ(signal("DFT", {2, 9, 1}, {{}, {2}}, {}, 20),
            "m.onnx: DFT: its operand of shape [2, 9, 1] has no signal along axis 2");
}

TEST(SignalRules, AFrameForEachStepWhileAWholeOneIsLeft) {
  EXPECT_EQ(signal("STFT", {1, 128, 1}, {{8}, {}, {16}}, {}, 17), "float32[1, 15, 9, 2]");
  EXPECT_EQ(signal("STFT", {1, 128, 2}, {{8}, {}, {16}}, {{"onesided", {0}}}, 17),
            "float32[1, 15, 16, 2]");
  EXPECT_EQ(signal("STFT", {1, 128, 1}, {{8}}, {}, 17), "float32[1, ?, ?, 2]");
}

TEST(SignalRules, WindowsAndBandsAreAsLongAsTheyAreTold) {
  const auto told = [](const std::string& op, const std::vector<std::int64_t>& numbers) {
    return y([&](GraphWriter& g) {
      Names names;
      for (const std::int64_t number : numbers) {
        names.push_back("t" + std::to_string(names.size()));
        g.scalar(names.back(), number);
      }
      g.node(op, names, {"y"}, {{"output_datatype", {11}}});
      g.output("y");
    });
  };
  EXPECT_EQ(told("HannWindow", {12}), "float64[12]");
  EXPECT_EQ(told("BlackmanWindow", {0}), "float64[0]");
  EXPECT_EQ(told("HammingWindow", {-1}), "m.onnx: HammingWindow: its length is -1");
  EXPECT_EQ(told("MelWeightMatrix", {8, 15, 8192}), "float64[8, 8]");
}

TEST(ImageRules, SizesThatAreToldAreTaken) {
  EXPECT_EQ(y_told("CenterCropPad", {3, 4, 5}, {{7, 2}}, {{"axes", {-1, 0}}}), "float32[2, 4, 7]");
  EXPECT_EQ(y_told("CenterCropPad", {3, 4}, {{7, 2}}), "float32[7, 2]");
  EXPECT_EQ(y_told("Col2Im", {1, 12, 25}, {{6, 6}, {2, 2}}), "float32[1, 3, 6, 6]");
  EXPECT_EQ(y_told("Col2Im", {1, 13, 25}, {{6, 6}, {2, 2}}),
            "m.onnx: Col2Im: its operand of shape [1, 13, 25] has no whole blocks of 4 places");
  EXPECT_EQ(y_told("AffineGrid", {2, 2, 3}, {{2, 3, 5, 6}}), "float32[2, 5, 6, 2]");
  EXPECT_EQ(y_told("AffineGrid", {2, 3, 4}, {{2, 3, 4, 5, 6}}), "float32[2, 4, 5, 6, 3]");
  EXPECT_EQ(y("Det", {{2, 3, 4, 4}}), "float32[2, 3]");
  EXPECT_EQ(y("DeformConv", {{1, 4, 9, 9}, {8, 4, 3, 3}, {1, 18, 4, 4}}, {{"strides", {2, 2}}}, 19),
            "float32[1, 8, 4, 4]");
}

TEST(ImageRules, UnpoolingGrowsByStrideAndKernelOrAsTold) {
  const Attributes window = {{"kernel_shape", {2, 3}}, {"strides", {2, 2}}, {"pads", {0, 1, 0, 1}}};
  EXPECT_EQ(y("MaxUnpool", {{1, 2, 3, 4}, {1, 2, 3, 4}}, window), "float32[1, 2, 6, 7]");
  EXPECT_EQ(y([&](GraphWriter& g) {
              g.input("x", {1, 2, 3, 4});
              g.input("i", {1, 2, 3, 4}, kInt64);
              g.ints("sizes", {1, 2, 7, 9});
              g.node("MaxUnpool", {"x", "i", "sizes"}, {"y"}, window);
              g.output("y");
            }),
            "float32[1, 2, 7, 9]");
}

TEST(ImageRules, AnImageIsAsLargeAsItsBytesSay) {
  EXPECT_EQ(y([](GraphWriter& g) {
              g.input("x", {999}, 2);
              g.node("ImageDecoder", {"x"}, {"y"});
              g.output("y");
            }),
            "uint8[?, ?, 3]");
}

TEST(TrainingRules, ALossIsOneNumberOrOneForEachPlace) {
  const auto loss = [](const char* op, const char* reduction) {
    return y([&](GraphWriter& g) {
      g.input("x", {3, 5, 2});
      g.input("t", {3, 2}, kInt64);
      auto& attribute = *g.node(op, {"x", "t"}, {"y"}).add_attribute();
      attribute.set_name("reduction");
      attribute.set_type(3);
      attribute.set_s(reduction);
      g.output("y");
    });
  };
  EXPECT_EQ(loss("NegativeLogLikelihoodLoss", "mean"), "float32[]");
  EXPECT_EQ(loss("NegativeLogLikelihoodLoss", "none"), "float32[3, 2]");
  EXPECT_EQ(loss("SoftmaxCrossEntropyLoss", "sum"), "float32[]");
  EXPECT_EQ(loss("SoftmaxCrossEntropyLoss", "none"), "float32[3, 2]");
}

TEST(TrainingRules, WhatIsDroppedOfAConstantIsNoConstant) {
  const auto model = program_of([](GraphWriter& g) {
    g.weight("w", {70});
    g.node("BitmaskDropout", {"w"}, {"y", "mask"}).set_domain("com.microsoft");
    g.output("y");
    g.output("mask");
  });
  EXPECT_EQ(bytes_of(model.program, "mask"), Bytes(12));  // 70 bits in words of 32
  EXPECT_EQ(steps_of(model.program).size(), 1u);
}

TEST(TrainingRules, AStepGivesWhatItTookAndItsStates) {
  EXPECT_EQ(y([](GraphWriter& g) {
              g.input("r", {});
              g.input("t", {}, kInt64);
              for (const char* kind : {"x", "g", "v", "h"}) {
                g.input(std::string(kind) + "1", {2, 3});
                g.input(std::string(kind) + "2", {4});
              }
              g.node("Adam", {"r", "t", "x1", "x2", "g1", "g2", "v1", "v2", "h1", "h2"},
                     {"a", "b", "c", "d", "e", "y"})
                  .set_domain("ai.onnx.preview.training");
              g.output("y");
            }),
            "float32[4]");
}

// --- Text ---

std::string of_text(const std::string& op, const Names& outputs,
                    const std::vector<TestDims>& operands) {
  return y([&](GraphWriter& g) {
    Names names;
    for (const TestDims& dims : operands) {
      names.push_back("x" + std::to_string(names.size()));
      g.input(names.back(), dims, kText);
    }
    g.node(op, names, outputs);
    g.output("y");
  });
}

TEST(TextRules, TextHasAShapeAndNoFixedSize) {
  EXPECT_EQ(of_text("StringConcat", {"y"}, {{2, 3}, {3}}), "unsized [2, 3]");
  EXPECT_EQ(of_text("StringSplit", {"y", "z"}, {{2, 3}}), "unsized [2, 3, ?]");
  EXPECT_EQ(of_text("StringSplit", {"z", "y"}, {{2, 3}}), "int64[2, 3]");
  EXPECT_EQ(of_text("RegexFullMatch", {"y"}, {{2, 3}}), "bool[2, 3]");
  EXPECT_EQ(of_text("StringNormalizer", {"y"}, {{1, 3}}), "unsized [1, ?]");
  EXPECT_EQ(of_text("Identity", {"y"}, {{1, 3}}), "unsized [1, 3]");
  EXPECT_EQ(of_text("Concat", {"y"}, {{1, 3}, {1, 2}}), "unsized [1, 5]");
  EXPECT_EQ(of_text("Equal", {"y"}, {{1, 3}, {3}}), "bool[1, 3]");
}

TEST(TextRules, GroupsOfWordsAreCountedAtTheirPlaces) {
  EXPECT_EQ(y("TfIdfVectorizer", {{3, 9}}, {{"ngram_indexes", {4, 0, 2}}}), "float32[3, 5]");
  EXPECT_EQ(y("TfIdfVectorizer", {{9}}, {{"ngram_indexes", {4, 0, 2}}}), "float32[5]");
}

TEST(TextRules, WhatIsMadeOfTextIsNotAskedFor) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("x", {4}, kText);
    g.node("Identity", {"x"}, {"i"});
    g.node("RegexFullMatch", {"i"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(4));
  EXPECT_TRUE(model.notes.empty());
}

// --- Bodies ---

TEST(MappedBodies, AScanOfVersion8HasABatchInFrontOfEveryAxis) {
  const WriteGraph write = [](GraphWriter& g) {
    g.input("carried", {2, 3});
    g.input("rows", {2, 7, 3});
    auto& node = g.node("Scan", {"", "carried", "rows"}, {"last", "y"}, {{"num_scan_inputs", {1}}});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("c", {});
      b.input("row", {});
      b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
      b.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->clear_shape();
      b.node("Add", {"c", "row"}, {"sum"});
      b.node("Concat", {"sum", "row"}, {"both"}, {{"axis", {0}}});
      b.output("sum");
      b.output("both");
    });
    g.output("y");
    g.output("last");
  };
  EXPECT_EQ(y(write, 8), "float32[2, 7, 6]");
  const auto model = program_of(write, {}, 8);
  EXPECT_EQ(bytes_of(model.program, "last"), Bytes(24));
  EXPECT_EQ(bytes_of(model.program, "row"), Bytes(12));
  EXPECT_TRUE(model.notes.empty());
}

TEST(MappedBodies, ASequenceMapGivesLists) {
  const auto model = program_of([](GraphWriter& g) {
    g.input("x", {4});
    g.node("SequenceConstruct", {"x", "x"}, {"list"});
    auto& node = g.node("SequenceMap", {"list", "x"}, {"lists"});
    add_body(node, "body", [](GraphWriter& b) {
      b.input("one", {});
      b.input("whole", {});
      b.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
      b.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->clear_shape();
      b.node("Neg", {"whole"}, {"n"});
      b.node("Concat", {"one", "n"}, {"both"}, {{"axis", {0}}});
      b.output("both");
    });
    g.node("SequenceLength", {"lists"}, {"y"});
    g.output("y");
  });
  EXPECT_EQ(bytes_of(model.program, "n"), Bytes(16));
  EXPECT_EQ(bytes_of(model.program, "y"), Bytes(8));
  EXPECT_EQ(Lives(model.program).kept("both"), KeptWhy::Dynamic);
  EXPECT_EQ(Lives(model.program).kept("lists"), KeptWhy::Dynamic);
}

}  // namespace
}  // namespace berth
