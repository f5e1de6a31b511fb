#include "examples/decoders/decoder_models.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "onnx_schema.pb.h"

namespace berth::decoders {
namespace {

namespace schema = onnx::schema;

using Dims = std::vector<std::int64_t>;
using Names = std::vector<std::string>;
using Attributes = std::vector<std::pair<std::string, std::int64_t>>;

constexpr int kFloat32 = 1;
constexpr int kInt32 = 6;
constexpr int kInt64 = 7;
constexpr int kBfloat16 = 16;
constexpr int kElsewhere = 1;  // data_location: in another file

// Writes a graph node by node; what a node gives bears a name of its own.
class Writer {
 public:
  Writer() {
    auto& fused = *model_.add_opset_import();
    fused.set_domain("com.microsoft");
    fused.set_version(1);
    auto& standard = *model_.add_opset_import();
    standard.set_domain("");
    standard.set_version(23);
  }

  // All names that follow begin with it.
  void in_layer(std::string prefix) { prefix_ = std::move(prefix); }

  std::string input(const std::string& name, const Dims& dims, int type = kBfloat16) {
    describe(*graph().add_input(), name, dims, type);
    return name;
  }
  void output(const std::string& name, const Dims& dims, int type = kBfloat16) {
    describe(*graph().add_output(), name, dims, type);
  }
  std::string weight(const std::string& name, const Dims& dims, int type = kBfloat16) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(prefix_ + name);
    tensor.set_data_type(type);
    tensor.set_data_location(kElsewhere);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    return prefix_ + name;
  }
  std::string ints(const Dims& values, int type = kInt64) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(prefix_ + "ints" + std::to_string(++count_));
    tensor.set_data_type(type);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) {
      if (type == kInt64) tensor.add_int64_data(value);
      if (type == kInt32) tensor.add_int32_data(static_cast<std::int32_t>(value));
    }
    return tensor.name();
  }

  Names node(const std::string& op, const Names& inputs, std::size_t outputs,
             const Attributes& attributes = {}, const std::string& domain = "") {
    auto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_domain(domain);
    for (const std::string& name : inputs) node.add_input(name);
    Names results;
    for (std::size_t i = 0; i < outputs; ++i) {
      results.push_back(prefix_ + op + std::to_string(++count_));
      node.add_output(results.back());
    }
    for (const auto& [name, value] : attributes) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(2);
      attribute.set_i(value);
    }
    return results;
  }
  std::string op(const std::string& op, const Names& inputs, const Attributes& attributes = {}) {
    return node(op, inputs, 1, attributes)[0];
  }
  // The node that gives `result` gives it under this name instead.
  void rename(const std::string& result, const std::string& name) {
    for (auto& node : *graph().mutable_node()) {
      for (auto& output : *node.mutable_output()) {
        if (output == result) output = name;
      }
      for (auto& input : *node.mutable_input()) {
        if (input == result) input = name;
      }
    }
  }

  // With the version of the format in front.
  std::string bytes() const { return std::string("\x08\x0a", 2) + model_.SerializeAsString(); }

 private:
  schema::Graph& graph() { return *model_.mutable_graph(); }

  static void describe(schema::Value& value, const std::string& name, const Dims& dims, int type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    for (const std::int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  }

  schema::Model model_;
  std::string prefix_;
  std::size_t count_ = 0;
};

// --- What layers are made of. `x` is [1, 1, width]. ---

std::string normed(Writer& w, const std::string& x, const std::string& name, std::int64_t width) {
  return w.op("RMSNormalization", {x, w.weight(name, {width})}, {{"axis", -1}});
}

std::string projected(Writer& w, const std::string& x, const std::string& name, std::int64_t from,
                      std::int64_t to) {
  return w.op("MatMul", {x, w.weight(name, {from, to})});
}

std::string silu(Writer& w, const std::string& x) {
  return w.op("Mul", {x, w.op("Sigmoid", {x})});
}

std::string reshaped(Writer& w, const std::string& x, const Dims& dims) {
  return w.op("Reshape", {x, w.ints(dims)});
}

Names split(Writer& w, const std::string& x, const Dims& sizes) {
  return w.node("Split", {x, w.ints(sizes)}, sizes.size(), {{"axis", 2}});
}

std::string sliced_from_one(Writer& w, const std::string& x, std::int64_t end) {
  return w.op("Slice", {x, w.ints({1}), w.ints({end}), w.ints({1})});
}

// A gated feed-forward block, with the sum around it.
std::string fed_forward(Writer& w, const std::string& x, std::int64_t hidden, std::int64_t width) {
  const std::string n = normed(w, x, "mlp_norm", hidden);
  const std::string gate = silu(w, projected(w, n, "gate_proj", hidden, width));
  const std::string up = projected(w, n, "up_proj", hidden, width);
  return w.op("Add", {x, projected(w, w.op("Mul", {gate, up}), "down_proj", width, hidden)});
}

// A state's two ends: past_NAME and present_NAME.
std::string past(Writer& w, const std::string& name, const Dims& dims, int type = kBfloat16) {
  return w.input("past_" + name, dims, type);
}
void present(Writer& w, const std::string& result, const std::string& name, const Dims& dims,
             int type = kBfloat16) {
  w.rename(result, "present_" + name);
  w.output("present_" + name, dims, type);
}

// A causal convolution over a window of the last rows, [1, rows, width]: all rows weighed and
// added.
std::string convolved(Writer& w, const std::string& window, std::int64_t rows, std::int64_t width) {
  const std::string weighed = w.op("Mul", {window, w.weight("conv_weight", {1, rows, width})});
  return silu(w, w.op("ReduceSum", {weighed, w.ints({1})}, {{"keepdims", 1}}));
}

struct Attention {
  std::int64_t hidden;
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t head;
  bool gated;
};

std::string attention(Writer& w, const std::string& x, const Attention& a, std::int64_t context,
                      const std::string& layer) {
  const std::int64_t width = a.heads * a.head;
  const std::int64_t kv_width = a.kv_heads * a.head;
  const Dims cache = {1, a.kv_heads, context, a.head};
  const std::string n = normed(w, x, "attention_norm", a.hidden);
  std::string q = projected(w, n, "q_proj", a.hidden, a.gated ? 2 * width : width);
  std::string gate;
  if (a.gated) {
    const Names halves = split(w, q, {width, width});
    q = halves[0];
    gate = w.op("Sigmoid", {halves[1]});
  }
  const std::string k = projected(w, n, "k_proj", a.hidden, kv_width);
  const std::string v = projected(w, n, "v_proj", a.hidden, kv_width);
  // The present is the same cache with one token more in it: its length is said to be the cache's.
  const Names mixed = w.node(
      "GroupQueryAttention",
      {q, k, v, past(w, "key." + layer, cache), past(w, "value." + layer, cache),
       w.ints({context - 1}, kInt32), w.ints({context}, kInt32)},
      3, {{"num_heads", a.heads}, {"kv_num_heads", a.kv_heads}, {"do_rotary", 1}}, "com.microsoft");
  present(w, mixed[1], "key." + layer, cache);
  present(w, mixed[2], "value." + layer, cache);
  const std::string out = a.gated ? w.op("Mul", {mixed[0], gate}) : mixed[0];
  return w.op("Add", {x, projected(w, out, "o_proj", width, a.hidden)});
}

// A selective state space of one group (Mamba-2).
std::string mamba(Writer& w, const std::string& x, const std::string& layer) {
  constexpr std::int64_t hidden = 2560, inner = 5120, heads = 80, head = 64, state = 128, rows = 4;
  constexpr std::int64_t conv = inner + 2 * state;
  const std::string n = normed(w, x, "norm", hidden);
  const Names in =
      split(w, projected(w, n, "in_proj", hidden, inner + conv + heads), {inner, conv, heads});
  const std::string kept = sliced_from_one(w, past(w, "conv." + layer, {1, rows, conv}), rows);
  const std::string window = w.op("Concat", {kept, in[1]}, {{"axis", 1}});
  present(w, window, "conv." + layer, {1, rows, conv});
  const Names xbc =
      split(w, convolved(w, "present_conv." + layer, rows, conv), {inner, state, state});

  const std::string step = w.op("Softplus", {w.op("Add", {in[2], w.weight("dt_bias", {heads})})});
  const std::string decay = w.op("Exp", {w.op("Mul", {step, w.weight("a", {heads})})});
  const std::string values = reshaped(w, xbc[0], {1, heads, head, 1});
  const std::string sized = w.op("Mul", {values, reshaped(w, step, {1, heads, 1, 1})});
  const std::string fresh = w.op("Mul", {sized, reshaped(w, xbc[1], {1, 1, 1, state})});
  const Dims dims = {1, heads, head, state};
  const std::string old =
      w.op("Mul", {past(w, "ssm." + layer, dims), reshaped(w, decay, {1, heads, 1, 1})});
  present(w, w.op("Add", {old, fresh}), "ssm." + layer, dims);

  const std::string read =
      w.op("MatMul", {"present_ssm." + layer, reshaped(w, xbc[2], {1, 1, state, 1})});
  const std::string skip = w.op("Mul", {values, w.weight("d", {1, heads, 1, 1})});
  const std::string y = reshaped(w, w.op("Add", {read, skip}), {1, 1, inner});
  const std::string gated = w.op("Mul", {y, silu(w, in[0])});
  const std::string out =
      projected(w, normed(w, gated, "gate_norm", inner), "out_proj", inner, hidden);
  return w.op("Add", {x, out});
}

// A gated delta net (Qwen3-Next): the state forgets, then is corrected by what it got wrong.
std::string delta_net(Writer& w, const std::string& x, const std::string& layer) {
  constexpr std::int64_t hidden = 2048, keys = 16, heads = 32, head = 128, kept = 3;
  constexpr std::int64_t key_width = keys * head, value_width = heads * head;
  constexpr std::int64_t conv = 2 * key_width + value_width;
  const std::string n = normed(w, x, "norm", hidden);
  const Names in =
      split(w, projected(w, n, "qkvz_proj", hidden, conv + value_width), {conv, value_width});
  const Names gates = split(w, projected(w, n, "ba_proj", hidden, 2 * heads), {heads, heads});
  const std::string window =
      w.op("Concat", {past(w, "conv." + layer, {1, kept, conv}), in[0]}, {{"axis", 1}});
  present(w, sliced_from_one(w, window, kept + 1), "conv." + layer, {1, kept, conv});
  const Names qkv =
      split(w, convolved(w, window, kept + 1, conv), {key_width, key_width, value_width});

  const auto in_float = [&](const std::string& value) {
    return w.op("Cast", {value}, {{"to", kFloat32}});
  };
  // Each key head serves as many value heads as there are to it.
  const auto for_values = [&](const std::string& value, const Dims& dims) {
    const std::string repeated = w.op(
        "Expand", {reshaped(w, value, {1, keys, 1, head}), w.ints({1, keys, heads / keys, head})});
    return in_float(reshaped(w, repeated, dims));
  };
  const auto gate = [&](const std::string& value) {
    return in_float(reshaped(w, value, {1, heads, 1, 1}));
  };
  const std::string q = for_values(qkv[0], {1, heads, 1, head});
  const std::string k = for_values(qkv[1], {1, heads, 1, head});
  const std::string v = in_float(reshaped(w, qkv[2], {1, heads, 1, head}));
  const std::string step =
      w.op("Softplus", {w.op("Add", {gates[1], w.weight("dt_bias", {heads})})});
  const std::string decay = gate(w.op("Exp", {w.op("Mul", {step, w.weight("a", {heads})})}));
  const std::string beta = gate(w.op("Sigmoid", {gates[0]}));

  const Dims dims = {1, heads, head, head};
  const std::string old = w.op("Mul", {past(w, "state." + layer, dims, kFloat32), decay});
  const std::string wrong = w.op("Sub", {v, w.op("MatMul", {k, old})});
  const std::string column = reshaped(w, k, {1, heads, head, 1});
  const std::string fix = w.op("MatMul", {column, w.op("Mul", {wrong, beta})});
  present(w, w.op("Add", {old, fix}), "state." + layer, dims, kFloat32);
  const std::string read =
      w.op("Cast", {w.op("MatMul", {q, "present_state." + layer})}, {{"to", kBfloat16}});
  const std::string gated = w.op("Mul", {normed(w, read, "gate_norm", head),
                                         silu(w, reshaped(w, in[1], {1, heads, 1, head}))});
  const std::string out =
      projected(w, reshaped(w, gated, {1, 1, value_width}), "out_proj", value_width, hidden);
  return w.op("Add", {x, out});
}

// --- Models ---

struct LayerKind {
  std::string name;
  std::function<std::string(Writer&, const std::string& x, const std::string& layer)> write;
  std::vector<std::pair<std::string, std::uint64_t>> written;
};

struct Model {
  std::string_view name;
  std::int64_t hidden;
  std::int64_t vocabulary;
  std::vector<LayerKind> kinds;
  std::vector<std::size_t> layers;  // their kinds, in order
};

LayerKind attention_kind(const Attention& a, std::int64_t width, std::int64_t context) {
  const auto token = static_cast<std::uint64_t>(a.kv_heads * a.head * 2);
  return {"attention",
          [=](Writer& w, const std::string& x, const std::string& layer) {
            return fed_forward(w, attention(w, x, a, context, layer), a.hidden, width);
          },
          {{"present_key.0", token}, {"present_value.0", token}}};
}

std::vector<Model> models(std::int64_t context) {
  std::vector<Model> models;
  models.push_back({"llama3_8b",
                    4096,
                    128256,
                    {attention_kind({4096, 32, 8, 128, false}, 14336, context)},
                    std::vector<std::size_t>(32, 0)});
  models.push_back(
      {"mamba2_2.7b", 2560, 50288, {{"mamba", mamba, {}}}, std::vector<std::size_t>(64, 0)});
  constexpr std::int64_t taken = (10 + 1) * 512;  // the width of the experts that a token takes
  const LayerKind delta = {"gdn",
                           [](Writer& w, const std::string& x, const std::string& layer) {
                             return fed_forward(w, delta_net(w, x, layer), 2048, taken);
                           },
                           {}};
  Model next{"qwen3_next",
             2048,
             151936,
             {delta, attention_kind({2048, 16, 2, 256, true}, taken, context)},
             {}};
  for (std::size_t layer = 0; layer < 48; ++layer) next.layers.push_back(layer % 4 == 3 ? 1 : 0);
  models.push_back(std::move(next));
  return models;
}

std::optional<Model> find(std::string_view name, std::int64_t context) {
  for (Model& model : models(context)) {
    if (model.name == name) return std::move(model);
  }
  return std::nullopt;
}

std::string embedded(Writer& w, const Model& model) {
  const std::string ids = w.input("ids", {1, 1}, kInt64);
  return w.op("Gather", {w.weight("embedding", {model.vocabulary, model.hidden}), ids});
}

void add_head(Writer& w, const Model& model, const std::string& x) {
  const std::string n = normed(w, x, "final_norm", model.hidden);
  const std::string scores = projected(w, n, "head", model.hidden, model.vocabulary);
  w.rename(scores, "scores");
  w.output("scores", {1, 1, model.vocabulary});
}

}  // namespace

std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const Model& model : models(1)) names.push_back(model.name);
  return names;
}

std::string onnx_model(std::string_view name, std::int64_t context) {
  const auto model = find(name, context);
  if (!model) return "";
  Writer w;
  std::string x = embedded(w, *model);
  for (std::size_t i = 0; i < model->layers.size(); ++i) {
    w.in_layer("layers." + std::to_string(i) + ".");
    x = model->kinds[model->layers[i]].write(w, x, std::to_string(i));
  }
  w.in_layer("");
  add_head(w, *model, x);
  return w.bytes();
}

std::vector<LayerModel> layer_models(std::string_view name, std::int64_t context) {
  const auto model = find(name, context);
  if (!model) return {};
  const Dims token = {1, 1, model->hidden};
  std::vector<LayerModel> layers;
  const auto add = [&](std::string program, std::uint64_t count, auto written, const auto& write) {
    Writer w;
    write(w);
    layers.push_back({std::move(program), count, w.bytes(), std::move(written)});
  };
  const std::vector<std::pair<std::string, std::uint64_t>> whole;
  add("embed", 1, whole, [&](Writer& w) {
    w.rename(embedded(w, *model), "token");
    w.output("token", token);
  });
  for (std::size_t kind = 0; kind < model->kinds.size(); ++kind) {
    const LayerKind& it = model->kinds[kind];
    const auto count = static_cast<std::uint64_t>(std::ranges::count(model->layers, kind));
    add(it.name, count, it.written, [&](Writer& w) {
      const std::string result = it.write(w, w.input("x", token), "0");
      w.rename(result, "y");
      w.output("y", token);
    });
  }
  add("head", 1, whole, [&](Writer& w) { add_head(w, *model, w.input("x", token)); });
  return layers;
}

}  // namespace berth::decoders
