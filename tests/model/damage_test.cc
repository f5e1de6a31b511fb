// Models that say odd things: whatever operators, operands, attributes and sizes meet, there is a
// program or an error. The sanitizers that tests run with turn anything else into a failure.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/model/models.h"

namespace berth {
namespace {

namespace schema = onnx::schema;

constexpr std::array kOps = {"Add",
                             "ArgMax",
                             "BatchNormalization",
                             "Cast",
                             "Compress",
                             "Concat",
                             "ConstantOfShape",
                             "Conv",
                             "ConvTranspose",
                             "DepthToSpace",
                             "Einsum",
                             "Equal",
                             "Expand",
                             "Flatten",
                             "Gather",
                             "GatherND",
                             "Gemm",
                             "GridSample",
                             "Identity",
                             "LSTM",
                             "LayerNormalization",
                             "MatMul",
                             "MaxPool",
                             "MaxRoiPool",
                             "Mod",
                             "Multinomial",
                             "NonZero",
                             "OneHot",
                             "Pad",
                             "QLinearConv",
                             "Range",
                             "ReduceProd",
                             "ReduceSum",
                             "Reshape",
                             "Resize",
                             "RoiAlign",
                             "Shape",
                             "Size",
                             "Slice",
                             "SpaceToDepth",
                             "Split",
                             "Squeeze",
                             "Tile",
                             "TopK",
                             "Transpose",
                             "Unique",
                             "Unsqueeze",
                             "Where",
                             "Attention",
                             "EmbedLayerNormalization",
                             "GroupQueryAttention",
                             "MatMulNBits",
                             "MultiHeadAttention",
                             "SkipLayerNormalization"};

constexpr std::array kAttributes = {"axis",
                                    "axes",
                                    "perm",
                                    "to",
                                    "kernel_shape",
                                    "strides",
                                    "pads",
                                    "dilations",
                                    "group",
                                    "split",
                                    "keepdims",
                                    "batch_dims",
                                    "blocksize",
                                    "num_heads",
                                    "kv_num_heads",
                                    "start",
                                    "end",
                                    "ceil_mode",
                                    "N",
                                    "pooled_shape",
                                    "scan_input_axes",
                                    "num_scan_inputs",
                                    "hidden_size",
                                    "shape"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void change(schema::Graph& graph) {
    if (graph.node_size() == 0) return;
    auto& node = *graph.mutable_node(below(graph.node_size()));
    switch (below(7)) {
      case 0:
        node.set_op_type(kOps[static_cast<std::size_t>(below(kOps.size()))]);
        node.set_domain(below(8) == 0 ? "com.microsoft" : "");
        break;
      case 1:
        add_attribute(node);
        break;
      case 2:
        if (node.input_size() > 0) node.set_input(below(node.input_size()), any_name(graph));
        break;
      case 3:
        node.add_input(any_name(graph));
        break;
      case 4:
        change_constant(graph);
        break;
      case 5:
        change_input(graph);
        break;
      default:
        for (auto& attribute : *node.mutable_attribute()) {
          if (attribute.has_g()) change(*attribute.mutable_g());
        }
    }
  }

 private:
  int below(std::size_t limit) { return static_cast<int>(random_() % limit); }
  int below(int limit) { return below(static_cast<std::size_t>(limit)); }

  std::int64_t odd_number() {
    switch (below(6)) {
      case 0:
        return -1;
      case 1:
        return static_cast<std::int64_t>(std::uint64_t{1} << below(64));
      case 2:
        return below(2) == 0 ? INT64_MAX : INT64_MIN;
      default:
        return below(7) - 2;
    }
  }

  void add_attribute(schema::Node& node) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(kAttributes[static_cast<std::size_t>(below(kAttributes.size()))]);
    if (below(3) == 0) {
      attribute.set_type(2);
      attribute.set_i(odd_number());
      return;
    }
    attribute.set_type(7);
    for (int i = below(5); i > 0; --i) attribute.add_ints(odd_number());
  }

  std::string any_name(const schema::Graph& graph) {
    if (below(3) == 0 && graph.initializer_size() > 0) {
      return graph.initializer(below(graph.initializer_size())).name();
    }
    const auto& node = graph.node(below(graph.node_size()));
    return node.output_size() == 0 ? "" : node.output(below(node.output_size()));
  }

  void change_constant(schema::Graph& graph) {
    if (graph.initializer_size() == 0) return;
    auto& tensor = *graph.mutable_initializer(below(graph.initializer_size()));
    tensor.clear_raw_data();
    tensor.set_data_type(7);
    tensor.clear_dims();
    tensor.clear_int64_data();
    const int count = below(5);
    tensor.add_dims(count);
    for (int i = 0; i < count; ++i) tensor.add_int64_data(odd_number());
  }

  void change_input(schema::Graph& graph) {
    if (graph.input_size() == 0) return;
    auto& type = *graph.mutable_input(below(graph.input_size()))->mutable_type();
    auto& shape = *type.mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (int i = below(5); i > 0; --i) shape.add_dim()->set_dim_value(odd_number() & INT64_MAX);
  }

  std::mt19937_64 random_;
};

schema::Model seed_model(const std::string& name) {
  std::ifstream file(BERTH_ROOT "/fuzz/corpus/onnx/" + name, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  schema::Model model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  return model;
}

TEST(OddModels, GiveAProgramOrAnError) {
  std::size_t programs = 0;
  std::size_t errors = 0;
  for (const char* name : {"control.onnx", "layers.onnx"}) {
    const schema::Model model = seed_model(name);
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      schema::Model odd = model;
      Mutator mutator(seed);
      for (std::uint64_t i = 0; i < 1 + seed % 6; ++i) mutator.change(*odd.mutable_graph());
      const auto graph = read_onnx(odd.SerializeAsString(), "odd.onnx");
      if (!graph) continue;
      const auto result =
          model_program(*graph, {.bindings = {.symbols = {{"n", {3, 3 + seed % 2}}}, .shapes = {}},
                                 .views = true,
                                 .in_place = true});
      ++(result ? programs : errors);
      if (result) static_cast<void>(program_instance(result->program, *Alignment::of(64)));
    }
  }
  EXPECT_GT(programs, 200U);
  EXPECT_GT(errors, 200U);
}

}  // namespace
}  // namespace berth
