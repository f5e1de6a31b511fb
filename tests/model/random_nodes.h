#pragma once

#include <random>
#include <string>

#include "tests/testing/onnx_model.h"

namespace berth::testing {

// Models of one operator, "y", with operands and attributes of random size: some of them are no
// valid node, as it comes.
class RandomNodes {
 public:
  explicit RandomNodes(unsigned seed) : random_(seed) {}

  std::string model() {
    const auto make = kMakers[static_cast<std::size_t>(below(std::size(kMakers)))];
    return onnx_bytes(
        [&](GraphWriter& g) {
          (this->*make)(g);
          g.output("y");
        },
        13);
  }

 private:
  using Maker = void (RandomNodes::*)(GraphWriter&);
  using Attributes = std::vector<std::pair<std::string, Ints>>;

  std::int64_t below(std::uint64_t n) { return static_cast<std::int64_t>(random_() % n); }
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return least + below(static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return below(2) == 1; }
  Ints list(std::size_t count, std::int64_t least, std::int64_t most) {
    Ints values(count);
    for (auto& value : values) value = from(least, most);
    return values;
  }
  static TestDims dims(const Ints& sizes) {
    TestDims dims;
    for (const std::int64_t size : sizes) dims.emplace_back(static_cast<int>(size));
    return dims;
  }
  // An operand of `rank` dimensions, or a few.
  Ints operand(GraphWriter& g, const std::string& name, std::size_t rank, std::int64_t most = 6) {
    const Ints sizes = list(rank, 1, most);
    g.input(name, dims(sizes));
    return sizes;
  }
  std::size_t some_rank() { return static_cast<std::size_t>(from(1, 4)); }
  std::int64_t some_axis(std::size_t rank) {
    return from(-static_cast<std::int64_t>(rank), static_cast<std::int64_t>(rank) - 1);
  }
  // "axes" or the like with one value is written as a list all the same.
  static void add_list(schema::Node& node, const std::string& name, const Ints& values) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(7);
    for (const std::int64_t value : values) attribute.add_ints(value);
  }
  static void add_text(schema::Node& node, const std::string& name, const std::string& text) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(3);
    attribute.set_s(text);
  }

  void add_window(schema::Node& node, const Ints& kernel) {
    add_list(node, "kernel_shape", kernel);
    if (coin()) add_list(node, "strides", list(2, 1, 3));
    if (coin()) add_list(node, "dilations", list(2, 1, 2));
    const std::int64_t way = below(4);
    if (way == 0) add_list(node, "pads", list(4, 0, kernel[0] - 1));
    if (way == 1) add_text(node, "auto_pad", "SAME_UPPER");
    if (way == 2) add_text(node, "auto_pad", "VALID");
  }

  void conv(GraphWriter& g) {
    const Ints kernel = list(2, 1, 3);
    const std::int64_t groups = from(1, 3);
    const std::int64_t channels = groups * from(1, 3);
    g.input("x", dims({from(1, 2), channels, from(4, 12), from(4, 12)}));
    g.input("w", dims({groups * from(1, 3), channels / groups, kernel[0], kernel[1]}));
    auto& node = g.node("Conv", {"x", "w"}, {"y"}, {{"group", {groups}}});
    add_window(node, kernel);
  }
  void transposed_conv(GraphWriter& g) {
    const Ints kernel = list(2, 1, 4);
    const std::int64_t channels = from(1, 3);
    g.input("x", dims({from(1, 2), channels, from(2, 8), from(2, 8)}));
    g.input("w", dims({channels, from(1, 3), kernel[0], kernel[1]}));
    auto& node = g.node("ConvTranspose", {"x", "w"}, {"y"});
    add_list(node, "kernel_shape", kernel);
    const Ints strides = list(2, 1, 3);
    add_list(node, "strides", strides);
    if (coin()) add_list(node, "pads", list(4, 0, (std::min(kernel[0], kernel[1]) - 1) / 2));
    if (coin()) add_list(node, "output_padding", list(2, 0, std::min(strides[0], strides[1]) - 1));
  }
  void pool(GraphWriter& g) {
    const Ints kernel = list(2, 1, 3);
    g.input("x", dims({from(1, 2), from(1, 3), from(4, 12), from(4, 12)}));
    const bool is_max = coin();
    // A window that would begin in the padding or past it is none, as the standard says since; the
    // library that is asked counts it.
    const bool is_ceil = coin();
    auto& node = g.node(is_max ? "MaxPool" : "AveragePool", {"x"}, {"y"},
                        is_ceil ? Attributes{{"ceil_mode", {1}}} : Attributes{});
    add_list(node, "kernel_shape", kernel);
    if (coin()) add_list(node, "strides", list(2, 1, is_ceil ? std::min(kernel[0], kernel[1]) : 3));
    if (!is_ceil && coin()) add_list(node, "pads", list(4, 0, kernel[0] / 2));
  }
  void matrices(GraphWriter& g) {
    const std::int64_t inner = from(1, 5);
    Ints left = list(static_cast<std::size_t>(below(3)), 1, 2);
    Ints right = list(static_cast<std::size_t>(below(3)), 1, 2);
    left.insert(left.end(), {from(1, 5), inner});
    right.insert(right.end(), {inner, from(1, 5)});
    g.input("a", dims(left));
    g.input("b", dims(right));
    g.node("MatMul", {"a", "b"}, {"y"});
  }
  void gemm(GraphWriter& g) {
    const bool is_a_turned = coin();
    const bool is_b_turned = coin();
    const std::int64_t inner = from(1, 5);
    const std::int64_t rows = from(1, 5);
    const std::int64_t columns = from(1, 5);
    g.input("a", is_a_turned ? dims({inner, rows}) : dims({rows, inner}));
    g.input("b", is_b_turned ? dims({columns, inner}) : dims({inner, columns}));
    g.node("Gemm", {"a", "b"}, {"y"}, {{"transA", {is_a_turned}}, {"transB", {is_b_turned}}});
  }
  void stretched(GraphWriter& g) {
    Ints a = list(some_rank(), 1, 4);
    Ints b(a.end() - below(a.size() + 1), a.end());
    for (auto& size : a) size = below(3) == 0 ? 1 : size;
    for (auto& size : b) size = below(3) == 0 ? 1 : size;
    g.input("a", dims(a));
    g.input("b", dims(b));
    g.node(coin() ? "Add" : "Mul", {"a", "b"}, {"y"});
  }
  void reduction(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    auto& node =
        g.node(coin() ? "ReduceMean" : "ReduceMax", {"x"}, {"y"}, {{"keepdims", {coin()}}});
    if (coin()) add_list(node, "axes", {some_axis(rank)});
  }
  void slice(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank, 9);
    g.ints("begin", {from(-10, 10)});
    g.ints("end", {from(-10, 10)});
    g.ints("axis", {some_axis(rank)});
    g.ints("step", {coin() ? from(1, 3) : from(-3, -1)});
    g.node("Slice", {"x", "begin", "end", "axis", "step"}, {"y"});
  }
  void gather(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.input("i", dims(list(static_cast<std::size_t>(below(3)), 1, 3)), kInt64);
    g.node("Gather", {"x", "i"}, {"y"}, {{"axis", {some_axis(rank)}}});
  }
  void concat(GraphWriter& g) {
    const std::size_t rank = some_rank();
    Ints sizes = operand(g, "a", rank);
    const std::int64_t axis = some_axis(rank);
    const auto at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    sizes[at] = from(1, 5);
    g.input("b", dims(sizes));
    g.node("Concat", {"a", "b"}, {"y"}, {{"axis", {axis}}});
  }
  void reshape(GraphWriter& g) {
    const Ints sizes = {from(1, 3) * 2, from(1, 3) * 3, from(1, 4)};
    g.input("x", dims(sizes));
    const std::vector<Ints> shapes = {{-1},    {0, -1},   {2, -1},
                                      {-1, 3}, {0, 0, 0}, {sizes[0], -1, 1}};
    g.ints("shape", shapes[static_cast<std::size_t>(below(shapes.size()))]);
    g.node("Reshape", {"x", "shape"}, {"y"});
  }
  void transpose(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    auto& node = g.node("Transpose", {"x"}, {"y"});
    Ints order(rank);
    for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(i);
    std::shuffle(order.begin(), order.end(), random_);
    if (coin()) add_list(node, "perm", order);
  }
  void axes(GraphWriter& g) {
    const std::size_t rank = some_rank();
    const bool is_squeezed = coin();
    Ints sizes = list(rank, 2, 5);
    const std::int64_t axis = some_axis(rank);
    const auto at =
        static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    if (is_squeezed) sizes[at] = 1;
    g.input("x", dims(sizes));
    g.ints("axes", {axis});
    g.node(is_squeezed ? "Squeeze" : "Unsqueeze", {"x", "axes"}, {"y"});
  }
  void expand(GraphWriter& g) {
    const Ints sizes = {from(1, 3), 1, from(1, 3)};
    g.input("x", dims(sizes));
    g.ints("shape", coin() ? Ints{from(1, 4), 1} : Ints{2, sizes[0], from(1, 4), sizes[2]});
    g.node("Expand", {"x", "shape"}, {"y"});
  }
  void tile(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.ints("times", list(rank, 1, 3));
    g.node("Tile", {"x", "times"}, {"y"});
  }
  void pad(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.ints("pads", list(2 * rank, 0, 3));
    g.node("Pad", {"x", "pads"}, {"y"});
  }
  void flatten(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.node("Flatten", {"x"}, {"y"}, {{"axis", {some_axis(rank)}}});
  }
  void split(GraphWriter& g) {
    const std::int64_t part = from(1, 4);
    g.input("x", dims({2 * part + 1, 3}));
    g.ints("sizes", {part, part + 1});
    g.node("Split", {"x", "sizes"}, {"y", "z"}, {{"axis", {0}}});
  }
  void top(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.ints("k", {1});
    g.node("TopK", {"x", "k"}, {"y", "places"}, {{"axis", {some_axis(rank)}}});
  }
  void arg(GraphWriter& g) {
    const std::size_t rank = some_rank();
    operand(g, "x", rank);
    g.node("ArgMax", {"x"}, {"y"}, {{"axis", {some_axis(rank)}}, {"keepdims", {coin()}}});
  }
  void depth(GraphWriter& g) {
    const std::int64_t block = from(1, 3);
    const bool is_to_space = coin();
    const std::int64_t channels = from(1, 2) * block * block;
    g.input("x", dims({1, channels, block * from(1, 3), block * from(1, 3)}));
    g.node(is_to_space ? "DepthToSpace" : "SpaceToDepth", {"x"}, {"y"}, {{"blocksize", {block}}});
  }
  void one_hot(GraphWriter& g) {
    const std::size_t rank = some_rank();
    g.input("x", dims(list(rank, 1, 4)), kInt64);
    g.ints("depth", {from(2, 6)});
    g.ints("values", {0, 1});
    g.node("OneHot", {"x", "depth", "values"}, {"y"}, {{"axis", {some_axis(rank + 1)}}});
  }
  void where(GraphWriter& g) {
    g.input("c", dims({from(1, 2), 3}), kBoolean);
    g.input("a", dims({1, 3}));
    g.input("b", dims({3}));
    g.node("Where", {"c", "a", "b"}, {"y"});
  }
  void shape_chain(GraphWriter& g) {
    operand(g, "x", 3);
    g.node("Shape", {"x"}, {"shape"});
    g.ints("places", {from(0, 2), from(0, 2)});
    g.node("Gather", {"shape", "places"}, {"picked"}, {{"axis", {0}}});
    g.ints("more", {2});
    g.node("Concat", {"picked", "more"}, {"all"}, {{"axis", {0}}});
    g.node("ConstantOfShape", {"all"}, {"y"});
  }

  static constexpr Maker kMakers[] = {&RandomNodes::conv,      &RandomNodes::transposed_conv,
                                      &RandomNodes::pool,      &RandomNodes::matrices,
                                      &RandomNodes::gemm,      &RandomNodes::stretched,
                                      &RandomNodes::reduction, &RandomNodes::slice,
                                      &RandomNodes::gather,    &RandomNodes::concat,
                                      &RandomNodes::reshape,   &RandomNodes::transpose,
                                      &RandomNodes::axes,      &RandomNodes::expand,
                                      &RandomNodes::tile,      &RandomNodes::pad,
                                      &RandomNodes::flatten,   &RandomNodes::split,
                                      &RandomNodes::top,       &RandomNodes::arg,
                                      &RandomNodes::depth,     &RandomNodes::one_hot,
                                      &RandomNodes::where,     &RandomNodes::shape_chain};

  std::mt19937 random_;
};

}  // namespace berth::testing
