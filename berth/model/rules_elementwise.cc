// Operators whose result has a place for each place of their operands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/arithmetic.h"
#include "berth/model/folding.h"
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
  return std::vector{with_numbers(call, tensor_fact(Dtype::of("bool"), call.shape(0)))};
}

// The type of the weights, which the operand is brought to before they are multiplied.
Answer weighted(const Call& call) {
  const auto element = call[1].element ? call[1].element : call[0].element;
  return std::vector{tensor_fact(element, call.shape(0))};
}

Answer coin_tosses(const Call& call) {
  const auto asked = element_of_code(call.integer("dtype", 0));
  return std::vector{tensor_fact(asked ? asked : call[0].element, call.shape(0))};
}

Answer running_sum(const Call& call) {
  Fact result = tensor_fact(call[0].element, call.shape(0));
  const auto said = call.number(1);
  if (!result.shape || !said) return std::vector{std::move(result)};
  const auto axis = axis_of(static_cast<std::int64_t>(*said), result.shape->size());
  if (!axis) {
    return refused(
        fmt::format("its operand of shape {} has no axis {}", text_of(result.shape), *said));
  }
  auto sums = running_sums(
      call[0], *axis,
      {.exclusive = call.integer("exclusive", 0) != 0, .reverse = call.integer("reverse", 0) != 0});
  if (sums) result.numbers = fitted(*std::move(sums), result.element);
  return std::vector{std::move(result)};
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

// As elements of another type.
std::optional<Numbers> cast_numbers(const Numbers& from, Dtype to) {
  if (to.name() != "bool") return fitted(converted(from, !is_real(to)), to);
  return std::visit(
      [](const auto& list) {
        Numbers::Ints flags;
        for (const auto& number : list) {
          flags.emplace_back();
          if (number) flags.back() = *number != 0 ? 1 : 0;
        }
        return Numbers{std::move(flags)};
      },
      from.list);
}

Answer cast_to(const Call& call, std::optional<Dtype> element) {
  Fact result = tensor_fact(element, call.shape(0));
  if (element && call[0].numbers) result.numbers = cast_numbers(*call[0].numbers, *element);
  return std::vector{std::move(result)};
}

// Before version 6 the type was named.
std::optional<Dtype> element_of_name(std::string name) {
  if (name == "FLOAT") return Dtype::of("float32");
  if (name == "DOUBLE") return Dtype::of("float64");
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return Dtype::of(name);
}

Answer cast(const Call& call) {
  const std::int64_t code = call.integer("to", 0);
  const std::string name = call.text("to", "");
  auto results = cast_to(call, name.empty() ? element_of_code(code) : element_of_name(name));
  if (code == kTextCode || name == "STRING") results->front().tensor = false;
  return results;
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
  return cast_to(call, call[1].element);
}

Answer quantize(const Call& call) {
  const auto asked = element_of_code(call.integer("output_dtype", 0));
  const auto element = call.given(2) ? call[2].element : asked ? asked : Dtype::of("uint8");
  return std::vector{tensor_fact(element, call.shape(0))};
}

Answer dequantize(const Call& call) {
  const auto asked = element_of_code(call.integer("output_dtype", 0));
  return std::vector{tensor_fact(asked ? asked : call[1].element, call.shape(0))};
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
  Fact result = call[0];
  if (call.given(2)) result.numbers.reset();  // whether this is training
  return std::vector{std::move(result), tensor_fact(mask, call.shape(0))};
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
    {"", "Bernoulli", coin_tosses},
    {"", "BitwiseNot", like_first},
    {"", "Ceil", like_first},
    {"", "Celu", like_first},
    {"", "Clip", like_first},
    {"", "Cos", like_first},
    {"", "Cosh", like_first},
    {"", "CumProd", like_first},
    {"", "CumSum", running_sum},
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
    {"", "RMSNormalization", weighted},
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
