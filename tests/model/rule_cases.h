#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/model/infer.h"
#include "tests/model/models.h"

namespace berth::testing {

// The shape and type of the value "y": "float32[1, 2]"; the refusal where there is one.
inline std::string y(const WriteGraph& write, std::int64_t opset = 17) {
  const auto graph = graph_of(write, opset);
  const auto facts = infer_facts(graph, {}, End::Most);
  if (!facts) return to_string(facts.error());
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].name != "y") continue;
    const Fact& fact = facts->facts[i];
    const std::string type = fact.element  ? std::string(fact.element->name())
                             : fact.tensor ? "?"
                                           : "unsized ";
    return type + text_of(fact.shape);
  }
  return "no y";
}

// One node with operands of these shapes.
using Attributes = std::vector<std::pair<std::string, Ints>>;
inline std::string y(const std::string& op, const std::vector<TestDims>& operands,
                     const Attributes& attributes = {}, std::int64_t opset = 17) {
  return y(
      [&](GraphWriter& g) {
        Names names;
        for (const TestDims& dims : operands) {
          names.push_back("x" + std::to_string(names.size()));
          g.input(names.back(), dims);
        }
        g.node(op, names, {"y"}, attributes);
        g.output("y");
      },
      opset);
}

// The same with lists of ints as the last operands.
inline std::string y_told(const std::string& op, const TestDims& operand,
                          const std::vector<Ints>& lists, const Attributes& attributes = {}) {
  return y([&](GraphWriter& g) {
    g.input("x", operand);
    Names names = {"x"};
    for (const Ints& list : lists) {
      names.push_back("list" + std::to_string(names.size()));
      g.ints(names.back(), list);
    }
    g.node(op, names, {"y"}, attributes);
    g.output("y");
  });
}

}  // namespace berth::testing
