// The fused operators of com.microsoft that exported models hold.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/matrix.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

Answer like_first(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0))};
}

// Result, mean, inverse deviation, and the sum that was normalised.
Answer skip_layer_norm(const Call& call) {
  std::optional<Shape> statistics = call.shape(0);
  if (statistics && !statistics->empty()) statistics->back() = 1;
  const Fact result = tensor_fact(call[0].element, call.shape(0));
  const Fact statistic = tensor_fact(Dtype::of("float32"), statistics);
  return std::vector{result, statistic, statistic, result};
}

// Ids of shape [batch, sequence]; the word embedding is the third operand.
Answer embed_layer_norm(const Call& call) {
  Fact result = tensor_fact(call[2].element, std::nullopt);
  const Dim batch = dim_of(call.shape(0), 0);
  if (call.shape(0))
    result.shape = Shape{batch, dim_of(call.shape(0), 1), dim_of(call.shape(2), 1)};
  return std::vector{result, tensor_fact(Dtype::of("int32"), Shape{batch}), result};
}

// The past of keys and values, in one tensor of shape [2, batch, heads, past, head].
Answer attention(const Call& call) {
  const auto& shape = call.shape(0);
  if (shape && shape->size() != 3) {
    return refused(fmt::format("its operand has shape {}; it takes three axes", text_of(shape)));
  }
  Dim width = quotient(dim_of(call.shape(1), 1), 3);
  if (const auto sizes = call.integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    width = static_cast<std::uint64_t>(std::max<std::int64_t>(sizes->back(), 0));
  }
  const Dim batch = dim_of(shape, 0);
  const Dim length = dim_of(shape, 1);
  const std::int64_t heads = call.integer("num_heads", 0);
  const Dim past = call.given(4) ? dim_of(call.shape(4), 3) : Dim(0);
  const Dim total = call.integer("past_present_share_buffer", 0) != 0 ? past : sum(past, length);
  const Dim head = quotient(width, heads);
  return std::vector{
      tensor_fact(call[0].element, Shape{batch, length, width}),
      tensor_fact(call[0].element,
                  Shape{2, batch, static_cast<std::uint64_t>(std::max<std::int64_t>(heads, 0)),
                        total, head})};
}

// Query, key and value apart, or packed in the query; keys and values of the past behind them.
Answer multi_head_attention(const Call& call) {
  const auto& query = call.shape(0);
  const auto& key = call.shape(1);
  const auto& value = call.shape(2);
  const auto element = call[0].element;
  if (!query) return std::vector{tensor_fact(element, std::nullopt)};
  const auto heads = call.integer("num_heads", 0);
  if (heads < 1) return refused("it has no num_heads");
  const Dim batch = dim_of(query, 0);
  const Dim length = dim_of(query, 1);
  const Dim head_count = static_cast<std::uint64_t>(heads);
  const bool is_packed = query->size() == 5;  // [batch, sequence, heads, 3, head]
  const Dim width = is_packed ? times(dim_of(query, 4), *head_count) : dim_of(query, 2);
  Dim value_width = width;
  Dim keys = length;
  if (value && value->size() == 3) {
    value_width = (*value)[2];
    keys = dim_of(key, 1);
  } else if (value && value->size() == 4) {  // [batch, heads, keys, head]
    value_width = times((*value)[3], *head_count);
    keys = (*value)[2];
  } else if (key && key->size() == 5) {
    keys = (*key)[1];
  }
  const Dim past = call.given(6) ? dim_of(call.shape(6), 2) : Dim(0);
  const Dim total = sum(past, keys);
  return std::vector{
      tensor_fact(element, Shape{batch, length, value_width}),
      tensor_fact(element, Shape{batch, head_count, total, quotient(width, heads)}),
      tensor_fact(element, Shape{batch, head_count, total, quotient(value_width, heads)})};
}

// Several query heads for each head of keys and values. The present is as long as the longest
// sequence: its length is an operand, and where that is not known, past and new together.
Answer group_query_attention(const Call& call) {
  const auto& query = call.shape(0);
  const auto element = call[0].element;
  const auto heads = call.integer("num_heads", 0);
  const auto kv_heads = call.integer("kv_num_heads", 0);
  constexpr std::int64_t kMostHeads = 1 << 20;
  if (heads < 1 || kv_heads < 1) return refused("it has no num_heads or kv_num_heads");
  if (heads > kMostHeads || kv_heads > kMostHeads) {
    return refused(fmt::format("it has {} heads, {} of keys and values", heads, kv_heads));
  }
  const Dim batch = dim_of(query, 0);
  const Dim length = dim_of(query, 1);
  const bool is_packed = !call.given(1);
  Dim head = quotient(dim_of(query, 2), is_packed ? heads + 2 * kv_heads : heads);
  if (!head) head = dim_of(call.shape(3), 3);
  const Dim width = times(head, static_cast<std::uint64_t>(heads));
  Dim total;
  const Dim past = call.given(3) ? dim_of(call.shape(3), 2) : Dim(0);
  if (const auto said = call.ints(6); said && said->size() == 1 && said->front() >= 0 && past) {
    total = std::max(*past, static_cast<std::uint64_t>(said->front()));
  } else {
    // Keys of no steps are borrowed: the past holds them all.
    total = sum(past, is_packed ? length : dim_of(call.shape(1), 1));
  }
  const Fact present =
      tensor_fact(element, Shape{batch, static_cast<std::uint64_t>(kv_heads), total, head});
  return std::vector{tensor_fact(element, Shape{batch, length, width}), present, present};
}

// The weights are packed: their shape is in the attributes.
Answer packed_matmul(const Call& call) {
  const std::int64_t columns = call.integer("N", 0);
  if (columns < 1) return refused("it has no N");
  std::optional<Shape> shape = call.shape(0);
  if (shape && !shape->empty()) shape->back() = static_cast<std::uint64_t>(columns);
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

Answer dynamic_matmul(const Call& call) {
  auto shape = product_shape(call.shape(0), call.shape(1));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(Dtype::of("float32"), *std::move(shape))};
}

constexpr const char* kDomain = "com.microsoft";

constexpr auto kRows = std::to_array<RuleRow>({
    {kDomain, "Attention", attention},
    {kDomain, "BiasAdd", like_first},
    {kDomain, "BiasGelu", like_first},
    {kDomain, "BiasSoftmax", like_first},
    {kDomain, "DecoderMaskedSelfAttention", attention},
    {kDomain, "DynamicQuantizeMatMul", dynamic_matmul},
    {kDomain, "EmbedLayerNormalization", embed_layer_norm},
    {kDomain, "FastGelu", like_first},
    {kDomain, "Gelu", like_first},
    {kDomain, "GroupNorm", like_first},
    {kDomain, "GroupQueryAttention", group_query_attention},
    {kDomain, "MatMulIntegerToFloat", dynamic_matmul},
    {kDomain, "MatMulNBits", packed_matmul},
    {kDomain, "MultiHeadAttention", multi_head_attention},
    {kDomain, "QuickGelu", like_first},
    {kDomain, "RotaryEmbedding", like_first},
    {kDomain, "SkipLayerNormalization", skip_layer_norm},
    {kDomain, "SkipSimplifiedLayerNormalization", skip_layer_norm},
    {"", "SimplifiedLayerNormalization", like_first},
});

}  // namespace

std::span<const RuleRow> fused_rules() {
  return kRows;
}

}  // namespace berth
