// Attention and its linear kin, as the standard has them, and the same under com.microsoft
// (https://onnx.ai/onnx/operators/onnx__Attention.html, onnx__LinearAttention.html,
// onnx__CausalConvWithState.html; docs/ContribOperators.md of ONNX Runtime).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// --- Attention ---

// Queries, keys or values: [batch, heads, length, width of a head], or with the heads behind one
// another, [batch, length, heads x width].
struct Heads {
  Dim batch;
  Dim heads;
  Dim length;
  Dim width;
};
using Parted = tl::expected<Heads, std::string>;

Parted heads_of(const Call& call, std::size_t input, const char* attribute) {
  const auto& shape = call.shape(input);
  if (!shape) return Heads{};
  if (shape->size() == 4) return Heads{(*shape)[0], (*shape)[1], (*shape)[2], (*shape)[3]};
  if (shape->size() != 3) {
    return refused(
        fmt::format("operand {} has shape {}; it takes three axes or four", input, text_of(shape)));
  }
  const std::int64_t heads = call.integer(attribute, 0);
  if (heads < 1) return refused(fmt::format("it has no {}", attribute));
  const Dim width = quotient((*shape)[2], heads);
  if ((*shape)[2] && !width) {
    return refused(fmt::format("operand {} of shape {} does not part into {} heads", input,
                               text_of(shape), heads));
  }
  return Heads{(*shape)[0], size_from(heads), (*shape)[1], width};
}

// Result, the keys and values of the past with the new ones behind them, and the scores.
Answer attention(const Call& call) {
  const Parted query = heads_of(call, 0, "q_num_heads");
  if (!query) return refused(query.error());
  const Parted key = heads_of(call, 1, "kv_num_heads");
  if (!key) return refused(key.error());
  const Parted value = heads_of(call, 2, "kv_num_heads");
  if (!value) return refused(value.error());
  const Dim batch = either(query->batch, either(key->batch, value->batch));
  const Dim kv_heads = either(key->heads, value->heads);
  const Dim past = call.given(4)   ? dim_of(call.shape(4), 2)
                   : call.given(5) ? dim_of(call.shape(5), 2)
                                   : Dim(0);
  const Dim total = sum(past, either(key->length, value->length));
  Fact result = tensor_fact(call[0].element, std::nullopt);
  if (call.shape(0) && call.shape(0)->size() == 4) {
    result.shape = Shape{batch, query->heads, query->length, value->width};
  } else if (call.shape(0)) {
    result.shape = Shape{batch, query->length, times(query->heads, value->width)};
  }
  return std::vector{
      result,
      tensor_fact(call[1].element, Shape{batch, kv_heads, total, either(key->width, query->width)}),
      tensor_fact(call[2].element, Shape{batch, kv_heads, total, value->width}),
      tensor_fact(call[0].element, Shape{batch, query->heads, query->length, total})};
}

// With score and probability functions in its bodies, which give what they take.
Answer flex_attention(const Call& call) {
  return std::vector{
      tensor_fact(call[0].element, Shape{dim_of(call.shape(0), 0), dim_of(call.shape(0), 1),
                                         dim_of(call.shape(0), 2), dim_of(call.shape(2), 3)})};
}

// --- Attention with a state of fixed size ---

// A state a window holds, in front of all other axes.
Shape in_window(const Call& call, Shape state) {
  const std::int64_t window = call.integer("state_window", 0);
  if (window > 0) state.insert(state.begin(), size_from(window));
  return state;
}

// Where no past is given, its state has the type of its operands.
std::optional<Dtype> state_element(const Call& call, std::size_t past) {
  return call.given(past) ? call[past].element : call[0].element;
}

Answer linear_attention(const Call& call) {
  const std::int64_t heads = call.integer("q_num_heads", 0);
  const std::int64_t kv_heads = call.integer("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1) return refused("it has no q_num_heads or kv_num_heads");
  const auto& query = call.shape(0);
  if (query && query->size() != 3) {
    return refused(fmt::format("its query has shape {}; it takes three axes", text_of(query)));
  }
  const Dim batch = either(dim_of(query, 0), dim_of(call.shape(2), 0));
  const Dim length = either(dim_of(query, 1), dim_of(call.shape(2), 1));
  const Dim key_width = quotient(dim_of(query, 2), heads);
  const Dim value_width = quotient(dim_of(call.shape(2), 2), kv_heads);
  return std::vector{
      tensor_fact(call[0].element,
                  Shape{batch, length, times(size_from(std::max(heads, kv_heads)), value_width)}),
      tensor_fact(state_element(call, 3),
                  in_window(call, {batch, size_from(kv_heads), key_width, value_width}))};
}

// The last places of its operand, as many as its window reaches back. Of more axes than one the
// shape of the state is the past's.
Answer causal_conv(const Call& call) {
  const auto& shape = call.shape(0);
  const auto& weights = call.shape(1);
  const Fact result = tensor_fact(call[0].element, shape);
  Fact state = tensor_fact(state_element(call, 3), call.shape(3));
  if (call.integer("ndim", 1) == 1 && shape && shape->size() >= 3) {
    const Dim kernel = dim_of(weights, 2);
    const Dim dilation = size_from(call.integer("dilation", 1));
    const Dim length = kernel && *kernel > 0 ? times(*kernel - 1, dilation) : Dim();
    Shape whole = *shape;
    whole[call.integer("channels_last", 0) != 0 ? 1 : 2] = length;
    if (!state.shape) state.shape = in_window(call, std::move(whole));
  }
  return std::vector{result, state};
}

// --- Gates ---

// As many results as operands of the first one's shape are told of.
Answer like_query(const Call& call) {
  const Fact fact = tensor_fact(call[0].element, call.shape(0));
  return std::vector<Fact>(call.outputs(), fact);
}

// Tokens of all sequences behind one another, [tokens, heads, width], or [batch, length, heads,
// width]; the state is [batch, heads, width of a value, width of a key], always of whole reals.
Answer gated_delta_net(const Call& call) {
  const Dim query_heads = dim_from_end(call.shape(0), 2);
  const Dim key_heads = dim_from_end(call.shape(1), 2);
  const Dim key_width = dim_from_end(call.shape(1), 1);
  const Dim heads = dim_from_end(call.shape(2), 2);
  const Dim width = dim_from_end(call.shape(2), 1);
  Fact result = tensor_fact(call[0].element, call.shape(2));
  if (result.shape && result.shape->size() >= 2) {
    (*result.shape)[result.shape->size() - 2] =
        heads && query_heads ? Dim(std::max(*heads, *query_heads)) : Dim();
  }
  const auto real = Dtype::of("float32");
  const Dim ends = dim_of(call.shape(3), 0);  // of the sequences, and a 0 before them
  const Dim batch = either(dim_of(call.shape(6), 0), ends.value_or(0) > 0 ? Dim(*ends - 1) : Dim());
  const Dim update = sum(heads, sum(times(key_heads, key_width), times(heads, width)));
  const Dim capacity = size_from(call.integer("state_update_capacity", 0));
  return std::vector{result, tensor_fact(real, Shape{batch, heads, width, key_width}),
                     tensor_fact(real, Shape{batch, times(capacity, update)})};
}

constexpr const char* kDomain = "com.microsoft";

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Attention", attention},
    {"", "CausalConvWithState", causal_conv},
    {"", "LinearAttention", linear_attention},
    {"ai.onnx.preview", "FlexAttention", flex_attention},
    {kDomain, "CausalConvWithState", causal_conv},
    {kDomain, "EngramGate", like_query},
    {kDomain, "GatedDeltaNet", gated_delta_net},
    {kDomain, "LinearAttention", linear_attention},
    {kDomain, "LinearAttentionGate", like_query},
});

}  // namespace

std::span<const RuleRow> attention_rules() {
  return kRows;
}

}  // namespace berth
