// Operators whose result has a place for each place of their operands.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/arithmetic.h"
#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

Fact with_numbers(const Call& call, Fact result) {
  result.numbers = computed(call, result);
  return result;
}

// One operand's type and shape; what else is given decides values alone.
Answer like_first(const Call& call) {
  return std::vector{with_numbers(call, tensor_fact(call[0].element, call[0].shape))};
}

Answer same_value(const Call& call) {
  return std::vector{call[0]};
}

Answer flags_like_first(const Call& call) {
  return std::vector{tensor_fact(Dtype::of("bool"), call.shape(0))};
}

// All operands stretched to one shape.
tl::expected<std::optional<Shape>, std::string> common_shape(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputs() && shape; ++i) {
    if (!call.shape(i)) return std::nullopt;
    auto wider = broadcast(*shape, *call.shape(i));
    if (!wider) {
      return refused(fmt::format("its operands of shape {} and {} cannot be stretched to one shape",
                                 text_of(shape), text_of(call.shape(i))));
    }
    shape = *std::move(wider);
  }
  return shape;
}

// Before version 7 the second operand was stretched by attributes, to the first one's shape.
bool is_stretched_by_attributes(const Call& call) {
  return call.opset() < 7 && call.node().domain.empty() &&
         call.node().attribute("broadcast") != nullptr;
}

Answer broadcast_to(const Call& call, std::optional<Dtype> element) {
  if (is_stretched_by_attributes(call)) return std::vector{tensor_fact(element, call.shape(0))};
  auto shape = common_shape(call);
  if (!shape) return refused(shape.error());
  return std::vector{with_numbers(call, tensor_fact(element, *std::move(shape)))};
}

Answer arithmetic(const Call& call) {
  return broadcast_to(call, call[0].element);
}

Answer comparison(const Call& call) {
  return broadcast_to(call, Dtype::of("bool"));
}

Answer choice(const Call& call) {
  return broadcast_to(call, call[1].element ? call[1].element : call[2].element);
}

Answer cast(const Call& call) {
  Fact result = tensor_fact(element_of_code(call.integer("to", 0)), call.shape(0));
  const bool is_followed = result.element && call[0].numbers;
  if (is_followed) {
    const bool to_int = !result.element->name().starts_with("float");
    auto numbers = converted(*call[0].numbers, to_int);
    if (result.element->name() == "bool") {
      for (auto& number : std::get<Numbers::Ints>(numbers.list)) {
        if (number) number = *number != 0 ? 1 : 0;
      }
    }
    result.numbers = fitted(std::move(numbers), result.element);
  }
  if (!result.element) result.tensor = call.integer("to", 0) != kTextCode;
  return std::vector{std::move(result)};
}

// The same bits, taken for another type of as many.
Answer bit_cast(const Call& call) {
  const auto element = element_of_code(call.integer("to", 0));
  if (element && call[0].element && element->bits() != call[0].element->bits()) {
    return refused(fmt::format("it takes {} for {}, which has other bits", call[0].element->name(),
                               element->name()));
  }
  return std::vector{tensor_fact(element, call.shape(0))};
}

Answer cast_like(const Call& call) {
  return std::vector{tensor_fact(call[1].element, call.shape(0))};
}

Answer quantize(const Call& call) {
  const auto asked = element_of_code(call.integer("output_dtype", 0));
  const auto element = call.given(2) ? call[2].element : asked ? asked : Dtype::of("uint8");
  return std::vector{tensor_fact(element, call.shape(0))};
}

Answer dequantize(const Call& call) {
  return std::vector{tensor_fact(call[1].element, call.shape(0))};
}

Answer dynamic_quantize(const Call& call) {
  return std::vector{tensor_fact(Dtype::of("uint8"), call.shape(0)),
                     tensor_fact(Dtype::of("float32"), Shape()),
                     tensor_fact(Dtype::of("uint8"), Shape())};
}

// The mask says where elements were dropped.
Answer dropout(const Call& call) {
  const bool has_flags = call.opset() >= 10 || call.opset() == 0;
  const auto mask = has_flags ? Dtype::of("bool") : call[0].element;
  return std::vector{call[0], tensor_fact(mask, call.shape(0))};
}

// In training there are more results: the statistics of each channel.
Answer batch_norm(const Call& call) {
  std::vector<Fact> results = {tensor_fact(call[0].element, call.shape(0))};
  for (std::size_t i = 1; i < call.outputs(); ++i) {
    results.push_back(
        tensor_fact(call[3].element ? call[3].element : call[0].element, call.shape(1)));
  }
  return results;
}

// The statistics keep the axes that are normalised, each of one place.
Answer layer_norm(const Call& call) {
  std::vector<Fact> results = {tensor_fact(call[0].element, call.shape(0))};
  std::optional<Shape> statistics = call.shape(0);
  if (statistics) {
    const auto axis = axis_of(call.integer("axis", -1), statistics->size());
    if (!axis) {
      return refused(fmt::format("its operand of shape {} has no axis {}", text_of(statistics),
                                 call.integer("axis", -1)));
    }
    for (std::size_t i = *axis; i < statistics->size(); ++i) (*statistics)[i] = 1;
  }
  const auto element = element_of_code(call.integer("stash_type", 1));
  for (std::size_t i = 1; i < call.outputs(); ++i) {
    results.push_back(tensor_fact(element, statistics));
  }
  return results;
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Abs", like_first},
    {"", "Acos", like_first},
    {"", "Acosh", like_first},
    {"", "Asin", like_first},
    {"", "Asinh", like_first},
    {"", "Atan", like_first},
    {"", "Atanh", like_first},
    {"", "Bernoulli", like_first},
    {"", "BitwiseNot", like_first},
    {"", "Ceil", like_first},
    {"", "Celu", like_first},
    {"", "Clip", like_first},
    {"", "Cos", like_first},
    {"", "Cosh", like_first},
    {"", "CumProd", like_first},
    {"", "CumSum", like_first},
    {"", "Elu", like_first},
    {"", "Erf", like_first},
    {"", "Exp", like_first},
    {"", "Floor", like_first},
    {"", "Gelu", like_first},
    {"", "GroupNormalization", like_first},
    {"", "HardSigmoid", like_first},
    {"", "HardSwish", like_first},
    {"", "Hardmax", like_first},
    {"", "InstanceNormalization", like_first},
    {"", "LRN", like_first},
    {"", "LeakyRelu", like_first},
    {"", "Log", like_first},
    {"", "LogSoftmax", like_first},
    {"", "LpNormalization", like_first},
    {"", "MeanVarianceNormalization", like_first},
    {"", "Mish", like_first},
    {"", "Neg", like_first},
    {"", "Not", like_first},
    {"", "PRelu", like_first},
    {"", "RMSNormalization", like_first},
    {"", "Reciprocal", like_first},
    {"", "Relu", like_first},
    {"", "ReverseSequence", like_first},
    {"", "RotaryEmbedding", like_first},
    {"", "Round", like_first},
    {"", "Selu", like_first},
    {"", "Shrink", like_first},
    {"", "Sigmoid", like_first},
    {"", "Sign", like_first},
    {"", "Sin", like_first},
    {"", "Sinh", like_first},
    {"", "Softmax", like_first},
    {"", "Softplus", like_first},
    {"", "Softsign", like_first},
    {"", "Sqrt", like_first},
    {"", "SwiGLU", like_first},
    {"", "Swish", like_first},
    {"", "Tan", like_first},
    {"", "Tanh", like_first},
    {"", "ThresholdedRelu", like_first},
    {"", "Trilu", like_first},
    {"", "Identity", same_value},
    {"", "IsInf", flags_like_first},
    {"", "IsNaN", flags_like_first},
    {"", "Add", arithmetic},
    {"", "And", arithmetic},
    {"", "BitShift", arithmetic},
    {"", "BitwiseAnd", arithmetic},
    {"", "BitwiseOr", arithmetic},
    {"", "BitwiseXor", arithmetic},
    {"", "Div", arithmetic},
    {"", "Max", arithmetic},
    {"", "Mean", arithmetic},
    {"", "Min", arithmetic},
    {"", "Mod", arithmetic},
    {"", "Mul", arithmetic},
    {"", "Or", arithmetic},
    {"", "Pow", arithmetic},
    {"", "Sub", arithmetic},
    {"", "Sum", arithmetic},
    {"", "Xor", arithmetic},
    {"", "Equal", comparison},
    {"", "Greater", comparison},
    {"", "GreaterOrEqual", comparison},
    {"", "Less", comparison},
    {"", "LessOrEqual", comparison},
    {"", "Where", choice},
    {"", "BitCast", bit_cast},
    {"", "Cast", cast},
    {"", "CastLike", cast_like},
    {"", "QuantizeLinear", quantize},
    {"", "DequantizeLinear", dequantize},
    {"", "DynamicQuantizeLinear", dynamic_quantize},
    {"", "Dropout", dropout},
    {"", "BatchNormalization", batch_norm},
    {"", "LayerNormalization", layer_norm},
    {"com.microsoft", "DequantizeLinear", dequantize},
    {"com.microsoft", "QuantizeLinear", quantize},
    {"com.microsoft", "Trilu", like_first},
});

}  // namespace

std::span<const RuleRow> elementwise_rules() {
  return kRows;
}

}  // namespace berth
