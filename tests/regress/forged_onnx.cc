#include "tests/regress/forged_plans.h"
#include "tests/testing/onnx_model.h"

namespace berth::test {

std::string onnx_of_open_size() {
  return testing::onnx_bytes([](testing::GraphWriter& g) {
    g.input("x", {"n", 32});
    g.node("Relu", {"x"}, {"a"});
    g.node("Sigmoid", {"a"}, {"b"});
    g.node("Concat", {"a", "b"}, {"c"}, {{"axis", {0}}});
    g.node("Tanh", {"c"}, {"y"});
    g.output("y");
  });
}

}  // namespace berth::test
