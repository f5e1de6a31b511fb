// Operators on quantized numbers and images whose channels come last, as ONNX Runtime's quantizer
// writes them (docs/ContribOperators.md of ONNX Runtime, domain com.microsoft).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/dims.h"
#include "berth/model/matrix.h"
#include "berth/model/rule.h"
#include "berth/model/window.h"

namespace berth {
namespace {

Answer like_first(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0))};
}

Answer like_first_in_bytes(const Call& call) {
  return std::vector{tensor_fact(Dtype::of("int8"), call.shape(0))};
}

// --- Element by element: each operand is followed by its scale and its zero point ---

Answer stretched(const Call& call, const std::vector<std::size_t>& operands,
                 std::optional<Dtype> element) {
  std::optional<Shape> shape = Shape();
  for (const std::size_t operand : operands) {
    const auto& next = call.shape(operand);
    auto wider = shape && next ? broadcast(*shape, *next) : std::nullopt;
    if (shape && next && !wider) {
      return refused(fmt::format("its operands of shape {} and {} cannot be stretched to one shape",
                                 text_of(shape), text_of(next)));
    }
    shape = std::move(wider);
  }
  return std::vector{tensor_fact(element, std::move(shape))};
}

Answer pair(const Call& call) {
  return stretched(call, {0, 3}, call[0].element ? call[0].element : call[3].element);
}

Answer integer_pair(const Call& call) {
  return stretched(call, {0, 2}, Dtype::of("int32"));
}

Answer choice(const Call& call) {
  return stretched(call, {0, 1, 4}, call[1].element);
}

// --- Joined: the result's scale and zero point, then three operands for each part ---

Answer concat(const Call& call) {
  Fact fact = tensor_fact(call[1].element, call.shape(2));
  if (call.inputs() < 3) return refused("it has no parts");
  if (!fact.shape) return std::vector{std::move(fact)};
  Shape& result = *fact.shape;
  const auto at = axis_of(call.integer("axis", 0), result.size());
  if (!at) {
    return refused(fmt::format("its operand of shape {} has no axis {}", text_of(result),
                               call.integer("axis", 0)));
  }
  for (std::size_t i = 5; i < call.inputs(); i += 3) {
    const auto& part = call.shape(i);
    if (part && part->size() != result.size()) {
      return refused(
          fmt::format("its operands have shapes {} and {}", text_of(call.shape(2)), text_of(part)));
    }
    for (std::size_t k = 0; k < result.size(); ++k) {
      const Dim length = dim_of(part, k);
      if (k == *at) {
        result[k] = sum(result[k], length);
      } else if (result[k] && length && result[k] != length) {
        return refused(fmt::format("its operands of shape {} and {} differ along axis {}",
                                   text_of(call.shape(2)), text_of(part), k));
      } else {
        result[k] = either(result[k], length);
      }
    }
  }
  return std::vector{std::move(fact)};
}

// --- Folded ---

Answer fold(const Call& call, std::optional<Dtype> element) {
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{tensor_fact(element, std::nullopt)};
  const auto axes = call.integers("axes").value_or(std::vector<std::int64_t>());
  std::vector<bool> folded(shape->size(), axes.empty());
  for (const std::int64_t axis : axes) {
    const auto at = axis_of(axis, shape->size());
    if (!at) {
      return refused(fmt::format("its operand of shape {} has no axis {}", text_of(shape), axis));
    }
    folded[*at] = true;
  }
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!folded[i]) {
      result.push_back((*shape)[i]);
    } else if (call.integer("keepdims", 1) != 0) {
      result.emplace_back(1);
    }
  }
  return std::vector{tensor_fact(element, std::move(result))};
}

Answer mean(const Call& call) {
  return fold(call, call[0].element);
}

Answer integer_sum(const Call& call) {
  return fold(call, Dtype::of(call[0].element == Dtype::of("uint8") ? "uint32" : "int32"));
}

// --- Windows over images: [batch, channels, places...], or the channels last ---

bool is_channels_last(const Call& call) {
  return call.node().op.starts_with("Nhwc") || call.integer("channels_last", 0) != 0;
}

Shape channels_first(const Call& call, Shape shape) {
  if (is_channels_last(call)) std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return shape;
}

Shape as_it_came(const Call& call, Shape shape) {
  if (is_channels_last(call)) std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

Answer windowed(const Call& call, const std::vector<std::int64_t>& kernel, const Shape& image,
                Dim channels, std::optional<Dtype> element) {
  auto shape = moved_over(call, image, kernel, channels);
  if (!shape) return refused(shape.error());
  if (*shape) *shape = as_it_came(call, **std::move(shape));
  return std::vector{tensor_fact(element, *std::move(shape))};
}

Answer pool(const Call& call) {
  const auto kernel = call.integers("kernel_shape");
  if (!kernel) return refused("it has no kernel_shape");
  const auto& shape = call.shape(0);
  if (!shape || shape->size() < 2) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  const Shape image = channels_first(call, *shape);
  return windowed(call, *kernel, image, image[1], call[0].element);
}

Answer global_pool(const Call& call) {
  const auto& shape = call.shape(0);
  if (!shape || shape->size() < 2) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  Shape image = channels_first(call, *shape);
  std::fill(image.begin() + 2, image.end(), Dim(1));
  return std::vector{tensor_fact(call[0].element, as_it_came(call, std::move(image)))};
}

// The weights have the channels in front, whatever the image has.
Answer convolve(const Call& call, std::size_t weights, std::optional<Dtype> element) {
  const auto kernel = kernel_of(call, weights);
  const auto& shape = call.shape(0);
  if (!kernel || !shape || shape->size() < 2) {
    return std::vector{tensor_fact(element, std::nullopt)};
  }
  const Shape image = channels_first(call, *shape);
  const auto& filter = call.shape(weights);
  if (filter && filter->size() != kernel->size() + 2) {
    return refused(fmt::format("its weights have shape {}, its kernel {} axes", text_of(filter),
                               kernel->size()));
  }
  if (auto why = find_channel_fault(call, image[1], filter)) return refused(*why);
  return windowed(call, *kernel, image, dim_of(filter, 0), element);
}

Answer conv(const Call& call) {
  return convolve(call, 1, call[0].element);
}

Answer quantized_conv(const Call& call) {
  return convolve(call, 3, call[7].element);
}

// --- Products ---

std::optional<Shape> turned(std::optional<Shape> shape, bool is_turned) {
  if (is_turned && shape && shape->size() == 2) std::swap(shape->front(), shape->back());
  return shape;
}

Answer gemm_of(const Call& call, std::size_t second, std::optional<Dtype> element) {
  for (const std::size_t operand : {std::size_t{0}, second}) {
    if (!call.shape(operand) || call.shape(operand)->size() == 2) continue;
    return refused(fmt::format("operand {} has shape {}; it takes matrices", operand,
                               text_of(call.shape(operand))));
  }
  auto shape = product_shape(turned(call.shape(0), call.integer("transA", 0) != 0),
                             turned(call.shape(second), call.integer("transB", 0) != 0));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(element, *std::move(shape))};
}

Answer fused_gemm(const Call& call) {
  return gemm_of(call, 1, call[0].element);
}

Answer float8_gemm(const Call& call) {
  return gemm_of(call, 1, element_of_code(call.integer("dtype", 1)));
}

// Without a zero point for its result that is real.
Answer quantized_gemm(const Call& call) {
  return gemm_of(call, 3, call.given(8) ? call[8].element : Dtype::of("float32"));
}

Answer product(const Call& call, std::size_t second, std::optional<Dtype> element) {
  auto shape = product_shape(call.shape(0), call.shape(second));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(element, *std::move(shape))};
}

Answer wide_integer_product(const Call& call) {
  const auto natural = Dtype::of("uint16");
  const bool is_natural = call[0].element == natural && call[1].element == natural;
  return product(call, 1, Dtype::of(is_natural ? "uint32" : "int32"));
}

// The last axis takes the width of the weights, which are packed: it is told, or theirs.
Answer with_width(const Call& call, const Dim& width) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && !shape->empty()) shape->back() = width;
  return std::vector{tensor_fact(call[0].element, std::move(shape))};
}

Answer rows_of_weights(const Call& call) {
  return with_width(call, dim_of(call.shape(1), 0));
}

Answer four_bit_product(const Call& call) {
  const bool is_turned = call.integer("transB", 1) != 0;
  return with_width(call, size_from(call.integer(is_turned ? "N" : "K", -1)));
}

Answer blocked_product(const Call& call) {
  const auto weights = call.ints(2);
  if (!weights || weights->size() != 2) return with_width(call, Dim());
  return with_width(call, size_from(weights->back()));
}

// Two products of one operand, the one the gate of the other; and what the operand and `skip` add
// up to.
Answer gated_product(const Call& call) {
  auto results = with_width(call, size_from(call.integer("N", -1)));
  results->push_back(tensor_fact(call[0].element, call.shape(0)));
  return results;
}

Answer three_products(const Call& call) {
  std::vector<Fact> results;
  for (const char* width : {"Nq", "Nkv", "Nkv"}) {
    results.push_back(with_width(call, size_from(call.integer(width, -1)))->front());
  }
  results.push_back(tensor_fact(call[0].element, call.shape(0)));
  return results;
}

// --- Whole layers ---

// Result, and the keys and values of the past with the new ones behind them.
Answer attention(const Call& call) {
  const auto& shape = call.shape(0);
  if (shape && shape->size() != 3) {
    return refused(fmt::format("its operand has shape {}; it takes three axes", text_of(shape)));
  }
  const std::int64_t heads = call.integer("num_heads", 0);
  if (heads < 1) return refused("it has no num_heads");
  const Dim width = quotient(dim_of(call.shape(1), 1), 3);
  const Dim past = call.given(8) ? dim_of(call.shape(8), 3) : Dim(0);
  const bool is_shared = call.integer("past_present_share_buffer", 0) != 0;
  const auto element = call[3].element ? call[3].element : call[2].element;
  return std::vector{tensor_fact(element, Shape{dim_of(shape, 0), dim_of(shape, 1), width}),
                     tensor_fact(element, Shape{2, dim_of(shape, 0), size_from(heads),
                                                is_shared ? past : sum(past, dim_of(shape, 1)),
                                                quotient(width, heads)})};
}

// Its weights lie turned: [directions, hidden, 4 x hidden].
Answer lstm(const Call& call) {
  const auto& shape = call.shape(0);
  if (shape && shape->size() != 3) {
    return refused(fmt::format("its sequence has shape {}; it takes three axes", text_of(shape)));
  }
  const std::int64_t said = call.integer("hidden_size", 0);
  const Dim hidden = said > 0 ? size_from(said) : dim_of(call.shape(2), 1);
  const Dim directions = call.text("direction", "forward") == "bidirectional" ? 2 : 1;
  const Fact last = tensor_fact(call[0].element, Shape{directions, dim_of(shape, 1), hidden});
  return std::vector{
      tensor_fact(call[0].element, Shape{dim_of(shape, 0), directions, dim_of(shape, 1), hidden}),
      last, last};
}

Answer dequantized_order(const Call& call) {
  return std::vector{tensor_fact(element_of_code(call.integer("to", 0)), call.shape(0))};
}

constexpr const char* kDomain = "com.microsoft";

constexpr auto kRows = std::to_array<RuleRow>({
    {kDomain, "DequantizeWithOrder", dequantized_order},
    {kDomain, "DynamicQuantizeLSTM", lstm},
    {kDomain, "FusedGemm", fused_gemm},
    {kDomain, "GemmFloat8", float8_gemm},
    {kDomain, "MatMulBlockQuantizedFp4Weight", rows_of_weights},
    {kDomain, "MatMulBlockQuantizedFp8Weight", rows_of_weights},
    {kDomain, "MatMulBnb4", four_bit_product},
    {kDomain, "MatMulFpQ4", blocked_product},
    {kDomain, "MatMulInteger16", wide_integer_product},
    {kDomain, "MatMulNBitsMlp", gated_product},
    {kDomain, "MatMulNBitsQkv", three_products},
    {kDomain, "MulInteger", integer_pair},
    {kDomain, "NhwcConv", conv},
    {kDomain, "NhwcFusedConv", conv},
    {kDomain, "NhwcMaxPool", pool},
    {kDomain, "QAttention", attention},
    {kDomain, "QGemm", quantized_gemm},
    {kDomain, "QLinearAdd", pair},
    {kDomain, "QLinearAveragePool", pool},
    {kDomain, "QLinearConcat", concat},
    {kDomain, "QLinearConv", quantized_conv},
    {kDomain, "QLinearGlobalAveragePool", global_pool},
    {kDomain, "QLinearLeakyRelu", like_first},
    {kDomain, "QLinearMul", pair},
    {kDomain, "QLinearReduceMean", mean},
    {kDomain, "QLinearSigmoid", like_first},
    {kDomain, "QLinearSoftmax", like_first},
    {kDomain, "QLinearWhere", choice},
    {kDomain, "QMoE", like_first},
    {kDomain, "QOrderedGelu", like_first},
    {kDomain, "QOrderedLayerNormalization", like_first},
    {kDomain, "QOrderedLongformerAttention", like_first},
    {kDomain, "QuantizeWithOrder", like_first_in_bytes},
    {kDomain, "ReduceSumInteger", integer_sum},
});

}  // namespace

std::span<const RuleRow> quantized_rules() {
  return kRows;
}

}  // namespace berth
