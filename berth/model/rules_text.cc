// Text, which has a shape but no fixed size, and what is counted or told of it
// (https://onnx.ai/onnx/operators/: onnx__StringConcat, onnx__StringNormalizer, onnx__StringSplit,
// onnx__RegexFullMatch, onnx__TfIdfVectorizer; Tokenizer and MurmurHash3 are ONNX Runtime's).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/dims.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

Fact text_fact(std::optional<Shape> shape) {
  Fact fact = unsized_fact();
  fact.shape = std::move(shape);
  return fact;
}

Answer concat(const Call& call) {
  const auto& a = call.shape(0);
  const auto& b = call.shape(1);
  if (!a || !b) return std::vector{unsized_fact()};
  auto shape = broadcast(*a, *b);
  if (!shape) {
    return refused(fmt::format("its operands of shape {} and {} cannot be stretched to one shape",
                               text_of(a), text_of(b)));
  }
  return std::vector{text_fact(*std::move(shape))};
}

// How many parts there are, the text says.
Answer split(const Call& call) {
  std::optional<Shape> parts = call.shape(0);
  if (parts) parts->emplace_back();
  return std::vector{text_fact(std::move(parts)), tensor_fact(Dtype::of("int64"), call.shape(0))};
}

Answer tokens(const Call& call) {
  std::optional<Shape> parts = call.shape(0);
  if (parts) parts->emplace_back();
  return std::vector{text_fact(std::move(parts))};
}

// Words may be left out.
Answer normalized(const Call& call) {
  std::optional<Shape> words = call.shape(0);
  if (words && !words->empty()) words->back().reset();
  return std::vector{text_fact(std::move(words))};
}

Answer match(const Call& call) {
  return std::vector{tensor_fact(Dtype::of("bool"), call.shape(0))};
}

Answer hash(const Call& call) {
  const bool is_positive = call.integer("positive", 1) != 0;
  return std::vector{tensor_fact(Dtype::of(is_positive ? "uint32" : "int32"), call.shape(0))};
}

// A count for each group of words that it knows; the groups' places are told.
Answer counted_groups(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape && shape->size() != 1 && shape->size() != 2) {
    return refused(
        fmt::format("its operand has shape {}; it takes one axis or two", text_of(shape)));
  }
  const auto places = call.integers("ngram_indexes");
  if (!places || places->empty()) return refused("it has no ngram_indexes");
  const std::int64_t last = *std::ranges::max_element(*places);
  if (last < 0 || last == INT64_MAX)
    return refused(fmt::format("its last group has place {}", last));
  if (shape) shape->back() = size_from(last + 1);
  return std::vector{tensor_fact(Dtype::of("float32"), std::move(shape))};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "RegexFullMatch", match},
    {"", "StringConcat", concat},
    {"", "StringNormalizer", normalized},
    {"", "StringSplit", split},
    {"", "TfIdfVectorizer", counted_groups},
    {"com.microsoft", "MurmurHash3", hash},
    {"com.microsoft", "Tokenizer", tokens},
});

}  // namespace

std::span<const RuleRow> text_rules() {
  return kRows;
}

}  // namespace berth
