// The other operators of com.microsoft that ONNX Runtime's optimizers and exporters write
// (docs/ContribOperators.md of ONNX Runtime). Searches, which run whole models in their bodies,
// have none.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/dims.h"
#include "berth/model/matrix.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

std::optional<Dtype> int32() {
  return Dtype::of("int32");
}

Answer like_first(const Call& call) {
  return std::vector<Fact>(std::max<std::size_t>(call.outputs(), 1),
                           tensor_fact(call[0].element, call.shape(0)));
}

Answer like_second(const Call& call) {
  return std::vector{tensor_fact(call[1].element, call.shape(1))};
}

Answer flag(const Call&) {
  return std::vector{tensor_fact(Dtype::of("bool"), Shape())};
}

// --- Shapes that change in one place ---

Answer half_of_last(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && !shape->empty()) shape->back() = quotient(shape->back(), 2);
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

Answer product(const Call& call) {
  auto shape = product_shape(call.shape(0), call.shape(1));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(call[0].element, *std::move(shape))};
}

Answer complex_product(const Call& call) {
  const auto& a = call.shape(0);
  const auto& b = call.shape(1);
  if (!a || !b) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  auto shape = broadcast(*a, *b);
  if (!shape) {
    return refused(fmt::format("its operands of shape {} and {} cannot be stretched to one shape",
                               text_of(a), text_of(b)));
  }
  return std::vector{tensor_fact(call[0].element, *std::move(shape))};
}

Answer distances(const Call& call) {
  return std::vector{
      tensor_fact(call[0].element, Shape{dim_of(call.shape(0), 0), dim_of(call.shape(1), 0)})};
}

Answer expand_dims(const Call& call) {
  Fact result = tensor_fact(call[0].element, std::nullopt);
  const auto axis = call.ints(1);
  if (!call.shape(0)) return std::vector{std::move(result)};
  result.shape = Shape(call.shape(0)->size() + 1);
  if (!axis || axis->size() != 1) return std::vector{std::move(result)};
  const auto at = axis_of(axis->front(), result.shape->size());
  if (!at) {
    return refused(fmt::format("axis {} cannot be added to its operand of shape {}", axis->front(),
                               text_of(call.shape(0))));
  }
  result.shape = call.shape(0);
  result.shape->insert(result.shape->begin() + static_cast<std::ptrdiff_t>(*at), 1);
  return std::vector{std::move(result)};
}

// Slices along one axis, which overlap where they are longer than a step; theirs is a new last
// axis.
Answer unfold(const Call& call) {
  Fact result = tensor_fact(call[0].element, call.shape(0));
  if (!result.shape) return std::vector{std::move(result)};
  const auto axis = axis_of(call.integer("dim", -1), result.shape->size());
  const Dim size = size_from(call.integer("size", -1));
  const std::int64_t step = call.integer("step", 1);
  if (!axis || !size || step < 1) {
    return refused(fmt::format("it takes slices of {} in steps of {} along axis {} of shape {}",
                               call.integer("size", -1), step, call.integer("dim", -1),
                               text_of(call.shape(0))));
  }
  Dim& dim = (*result.shape)[*axis];
  if (dim && *dim < *size) {
    return refused(fmt::format("axis {} of shape {} is shorter than a slice of {}", *axis,
                               text_of(call.shape(0)), *size));
  }
  if (dim) dim = (*dim - *size) / static_cast<std::uint64_t>(step) + 1;
  result.shape->push_back(size);
  return std::vector{std::move(result)};
}

Answer embedding(const Call& call) {
  std::optional<Shape> shape = call.shape(1);
  if (shape) shape->push_back(dim_of(call.shape(0), 1));
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

// Elements of fewer bits than a byte lie along the last axis.
Answer gather_blocks(const Call& call) {
  Fact result = tensor_fact(call[2].element, std::nullopt);
  const auto& indices = call.shape(1);
  if (!call.shape(0) || !indices) return std::vector{std::move(result)};
  Shape data = *call.shape(0);
  const auto axis = axis_of(call.integer("gather_axis", 0), data.size());
  if (!axis) {
    return refused(fmt::format("its operand of shape {} has no axis {}", text_of(data),
                               call.integer("gather_axis", 0)));
  }
  const std::int64_t bits = call.integer("bits", 4);
  if (call[0].element == Dtype::of("uint8") && bits >= 1 && bits < 8) {
    data.back() = times(data.back(), size_from(8 / bits));
  }
  const auto at = data.begin() + static_cast<std::ptrdiff_t>(*axis);
  Shape shape(data.begin(), at);
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), at + 1, data.end());
  result.shape = std::move(shape);
  return std::vector{std::move(result)};
}

// Pads are an operand, so that places are known to the run alone.
Answer padded_conv_transpose(const Call& call) {
  const auto& shape = call.shape(0);
  Fact result = tensor_fact(call[0].element, std::nullopt);
  if (!shape || shape->size() < 2) return std::vector{std::move(result)};
  result.shape = Shape(shape->size());
  result.shape->at(0) = shape->front();
  result.shape->at(1) = times(dim_of(call.shape(1), 1), size_from(call.integer("group", 1)));
  return std::vector{std::move(result)};
}

// --- Values that the run counts ---

Answer distinct(const Call& call) {
  const auto count = Dtype::of("int64");
  return std::vector{tensor_fact(call[0].element, Shape(1)), tensor_fact(count, call.shape(0)),
                     tensor_fact(count, Shape(1))};
}

Answer warped_path(const Call&) {
  return std::vector{tensor_fact(int32(), Shape{2, Dim()})};
}

Answer bifurcation(const Call& call) {
  return std::vector{tensor_fact(call[0].element, Shape(1)), tensor_fact(call[0].element, Shape())};
}

// Tokens without padding; where each of them was; where each sequence ends; the longest one.
Answer remove_padding(const Call& call) {
  const auto& shape = call.shape(0);
  return std::vector{tensor_fact(call[0].element, Shape{Dim(), dim_of(shape, 2)}),
                     tensor_fact(int32(), Shape{dim_of(shape, 0), dim_of(shape, 1)}),
                     tensor_fact(int32(), Shape{sum(dim_of(shape, 0), 1)}),
                     tensor_fact(int32(), Shape{1})};
}

Answer restore_padding(const Call& call) {
  return std::vector{tensor_fact(
      call[0].element,
      Shape{dim_of(call.shape(1), 0), dim_of(call.shape(1), 1), dim_of(call.shape(0), 1)})};
}

// --- Attention ---

Answer packed_attention(const Call& call) {
  Dim width = quotient(dim_of(call.shape(1), 1), 3);
  if (const auto sizes = call.integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    width = size_from(sizes->back());
  }
  return std::vector{tensor_fact(call[0].element, Shape{dim_of(call.shape(0), 0), width})};
}

Answer packed_multi_head_attention(const Call& call) {
  const auto& query = call.shape(0);
  const bool is_packed = query && query->size() == 4;  // [tokens, heads, 3, width]
  const Dim width = is_packed       ? times(dim_of(query, 1), dim_of(query, 3))
                    : call.given(2) ? dim_of(call.shape(2), 1)
                                    : dim_of(query, 1);
  return std::vector{tensor_fact(call[0].element, Shape{dim_of(query, 0), width})};
}

// The last axis of a query that has keys and values behind it, without them.
Dim query_width(const Call& call, bool is_packed) {
  const Dim width = dim_from_end(call.shape(0), 1);
  const std::int64_t heads = call.integer("num_heads", 0);
  const std::int64_t kv_heads = call.integer("kv_num_heads", 0);
  const bool is_sane = heads >= 1 && kv_heads >= 1 && heads <= 1 << 20 && kv_heads <= 1 << 20;
  if (!is_packed) return width;
  return is_sane ? times(quotient(width, heads + 2 * kv_heads), size_from(heads)) : Dim();
}

// The caches are written where they are.
Answer with_caches(const Call& call, const Dim& width) {
  std::optional<Shape> result = call.shape(0);
  if (result && !result->empty()) result->back() = width;
  return std::vector{tensor_fact(call[0].element, std::move(result)),
                     tensor_fact(call[3].element, call.shape(3)),
                     tensor_fact(call[4].element, call.shape(4))};
}

Answer sparse_attention(const Call& call) {
  return with_caches(call, query_width(call, !call.given(1)));
}

Answer paged_attention(const Call& call) {
  const std::int64_t value_width = call.integer("v_head_size", 0);
  if (value_width < 1) return with_caches(call, query_width(call, !call.given(1)));
  return with_caches(call, times(size_from(call.integer("num_heads", 0)), size_from(value_width)));
}

// One new place for each sequence; the past of keys and values lies apart.
Answer masked_attention(const Call& call) {
  const auto& query = call.shape(0);
  const auto& value = call.shape(2);
  const Dim heads = size_from(call.integer("num_heads", -1));
  const Dim width = call.given(1) ? dim_of(query, 2) : quotient(dim_of(query, 2), 3);
  const Dim value_width = !call.given(2)                ? width
                          : value && value->size() == 4 ? times((*value)[3], heads)
                                                        : dim_of(value, 2);
  std::vector<Fact> results = {
      tensor_fact(call[0].element, Shape{dim_of(query, 0), dim_of(query, 1), value_width})};
  const bool is_shared = call.integer("past_present_share_buffer", 0) != 0;
  for (const std::size_t past : {std::size_t{5}, std::size_t{6}}) {
    Fact present = tensor_fact(call[0].element, call.shape(past));
    if (present.shape && present.shape->size() == 4 && !is_shared) {
      (*present.shape)[2] = sum((*present.shape)[2], dim_of(query, 1));
    }
    results.push_back(std::move(present));
  }
  const Dim total = is_shared ? Dim() : dim_of(results[1].shape, 2);
  results.push_back(tensor_fact(call[0].element, Shape{dim_of(query, 0), heads, 1, total}));
  return results;
}

// How long its caches come to be, flags among its operands say.
Answer decoder_attention(const Call& call) {
  const auto& query = call.shape(0);  // [length, batch, heads x width]
  const std::int64_t heads = call.integer("num_heads", 0);
  const Fact cache = tensor_fact(call[0].element, Shape{dim_of(query, 1), size_from(heads), Dim(),
                                                        quotient(dim_of(query, 2), heads)});
  return std::vector{tensor_fact(call[0].element, query), cache, cache};
}

Answer quantized_attention(const Call& call) {
  return std::vector{tensor_fact(
      call[0].element,
      Shape{dim_of(call.shape(0), 0), dim_of(call.shape(0), 1), dim_of(call.shape(13), 0)})};
}

Answer rotated_pair(const Call& call) {
  return std::vector{tensor_fact(call[1].element, call.shape(1)),
                     tensor_fact(call[3].element, call.shape(3))};
}

Answer position_bias(const Call& call) {
  const auto length = [&](std::size_t input) {
    const auto said = call.ints(input);
    return said && said->size() == 1 ? size_from(said->front()) : Dim();
  };
  return std::vector{
      tensor_fact(call[0].element, Shape{1, dim_of(call.shape(0), 1), length(1), length(2)})};
}

Answer gated_position_bias(const Call& call) {
  const auto& query = call.shape(0);
  const bool has_batch = query && query->size() == 3;
  Fact result = tensor_fact(call[0].element, call.shape(2));  // [1, heads, length, length]
  if (result.shape && !result.shape->empty()) {
    result.shape->front() = has_batch ? query->front() : dim_of(call.shape(6), 0);
  }
  return std::vector{std::move(result)};
}

// Of quantized tables; the result is real, and the mask's length is that of each sequence.
Answer embedded(const Call& call) {
  const auto& ids = call.shape(0);
  return std::vector{tensor_fact(Dtype::of("float32"),
                                 Shape{dim_of(ids, 0), dim_of(ids, 1), dim_of(call.shape(2), 1)}),
                     tensor_fact(int32(), Shape{dim_of(ids, 0)})};
}

// --- Groups of words ---

// How many words before it each word is hashed with.
Dim words_before(const Call& call) {
  const std::int64_t most = call.integer("max_ngram_size", 0);
  return most < 1 ? Dim() : size_from(most - 1);
}

Answer hashed_groups(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  const Dim kept = words_before(call);
  if (shape) shape->push_back(times(kept, size_from(call.integer("n_head_per_ngram", -1))));
  return std::vector{tensor_fact(call[0].element, std::move(shape)),
                     tensor_fact(call[0].element, Shape{dim_of(call.shape(0), 0), kept})};
}

// --- Blocks that share an exponent ---

Answer quantize_blocks(const Call& call) {
  const Dim rank = call.shape(0) ? Dim(call.shape(0)->size()) : Dim();
  const Fact list = tensor_fact(Dtype::of("int64"), Shape{rank});
  return std::vector{tensor_fact(Dtype::of("uint8"), Shape(1)), list, list};
}

Answer dequantize_blocks(const Call& call) {
  Fact result = tensor_fact(element_of_code(call.integer("dtype", 1)), std::nullopt);
  if (const auto sizes = call.ints(1)) {
    result.shape.emplace();
    for (const std::int64_t size : *sizes) result.shape->push_back(size_from(size));
  }
  return std::vector{std::move(result)};
}

constexpr const char* kDomain = "com.microsoft";

constexpr auto kRows = std::to_array<RuleRow>({
    {kDomain, "BiasSplitGelu", half_of_last},
    {kDomain, "BifurcationDetector", bifurcation},
    {kDomain, "CDist", distances},
    {kDomain, "ComplexMul", complex_product},
    {kDomain, "ComplexMulConj", complex_product},
    {kDomain, "ConvTransposeWithDynamicPads", padded_conv_transpose},
    {kDomain, "DecoderAttention", decoder_attention},
    {kDomain, "DecoderMaskedMultiHeadAttention", masked_attention},
    {kDomain, "DequantizeBFP", dequantize_blocks},
    {kDomain, "DynamicTimeWarping", warped_path},
    {kDomain, "ExpandDims", expand_dims},
    {kDomain, "GatedAdd", like_first},
    {kDomain, "GatedRMSNorm", like_first},
    {kDomain, "GatedRelativePositionBias", gated_position_bias},
    {kDomain, "GatherBlockQuantized", gather_blocks},
    {kDomain, "GemmFastGelu", product},
    {kDomain, "GemmaRotaryEmbedding", rotated_pair},
    {kDomain, "Inverse", like_first},
    {kDomain, "IsAllFinite", flag},
    {kDomain, "LongformerAttention", like_first},
    {kDomain, "MRotaryEmbedding", like_first},
    {kDomain, "MoE", like_first},
    {kDomain, "NGramHashMapping", hashed_groups},
    {kDomain, "NGramRepeatBlock", like_second},
    {kDomain, "PackedAttention", packed_attention},
    {kDomain, "PackedMultiHeadAttention", packed_multi_head_attention},
    {kDomain, "PagedAttention", paged_attention},
    {kDomain, "QEmbedLayerNormalization", embedded},
    {kDomain, "QOrderedAttention", quantized_attention},
    {kDomain, "QuantizeBFP", quantize_blocks},
    {kDomain, "RelativePositionBias", position_bias},
    {kDomain, "RemovePadding", remove_padding},
    {kDomain, "RestorePadding", restore_padding},
    {kDomain, "SampleOp", like_first},
    {kDomain, "SkipGroupNorm", like_first},
    {kDomain, "SparseAttention", sparse_attention},
    {kDomain, "TorchEmbedding", embedding},
    {kDomain, "UnfoldTensor", unfold},
    {kDomain, "Unique", distinct},
});

}  // namespace

std::span<const RuleRow> runtime_rules() {
  return kRows;
}

}  // namespace berth
