// Matrix products.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "berth/model/matrix.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

Answer product(const Call& call, std::size_t a, std::size_t b, std::optional<Dtype> element) {
  auto shape = product_shape(call.shape(a), call.shape(b));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(element, *std::move(shape))};
}

Answer matmul(const Call& call) {
  return product(call, 0, 1, call[0].element);
}

Answer matmul_integer(const Call& call) {
  return product(call, 0, 1, Dtype::of("int32"));
}

Answer qlinear_matmul(const Call& call) {
  return product(call, 0, 3, call[7].element);
}

std::optional<Shape> turned(const std::optional<Shape>& shape, bool is_turned) {
  std::optional<Shape> result = shape;
  if (is_turned && result && result->size() >= 2) {
    std::swap(result->back(), (*result)[result->size() - 2]);
  }
  return result;
}

// The first axis of all is that of the matrix, in front of those of the batch.
std::optional<Shape> turned_batch(const std::optional<Shape>& shape, bool is_turned) {
  std::optional<Shape> result = shape;
  if (is_turned && result && result->size() >= 2) {
    std::rotate(result->begin(), result->begin() + 1, result->end() - 1);
  }
  return result;
}

Answer fused_matmul(const Call& call) {
  const auto is_set = [&](const char* attribute) { return call.integer(attribute, 0) != 0; };
  auto shape =
      product_shape(turned(turned_batch(call.shape(0), is_set("transBatchA")), is_set("transA")),
                    turned(turned_batch(call.shape(1), is_set("transBatchB")), is_set("transB")));
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(call[0].element, *std::move(shape))};
}

// Before version 7, operands of more axes were flattened to matrices; they have two since.
Answer gemm(const Call& call) {
  const auto a = turned(call.shape(0), call.integer("transA", 0) != 0);
  const auto b = turned(call.shape(1), call.integer("transB", 0) != 0);
  if (!a || !b) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  if (a->size() != 2 || b->size() != 2) {
    return refused(fmt::format("its operands have shapes {} and {}; it takes matrices",
                               text_of(call.shape(0)), text_of(call.shape(1))));
  }
  auto shape = product_shape(a, b);
  if (!shape) return refused(shape.error());
  return std::vector{tensor_fact(call[0].element, *std::move(shape))};
}

// --- Einsum ---

// The axes of each operand and of the result, by letter; "..." stands as '.'.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Equation parsed(const std::string& text) {
  Equation equation;
  equation.operands.emplace_back();
  bool has_arrow = false;
  std::map<char, int> times;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      has_arrow = true;
      ++i;
    } else if (c == ',') {
      equation.operands.emplace_back();
    } else {
      const bool is_dots = text.compare(i, 3, "...") == 0;
      (has_arrow ? equation.result : equation.operands.back()) += c;
      if (!has_arrow && !is_dots) ++times[c];
      if (is_dots) i += 2;
    }
  }
  if (has_arrow) return equation;
  // Without an arrow: the letters that stand once, in alphabetical order.
  for (const std::string& operand : equation.operands) {
    if (operand.find('.') != std::string::npos) equation.result.assign(1, '.');
  }
  for (const auto& [letter, count] : times) {
    if (count == 1) equation.result += letter;
  }
  return equation;
}

Answer einsum(const Call& call) {
  const Equation equation = parsed(call.text("equation", ""));
  if (equation.operands.size() != call.inputs()) {
    return refused(fmt::format("its equation names {} operands, it has {}",
                               equation.operands.size(), call.inputs()));
  }
  std::map<char, Dim> dims;
  Shape dots;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    if (!call.shape(i)) return std::vector{tensor_fact(call[0].element, std::nullopt)};
    const Shape& shape = *call.shape(i);
    const std::string& letters = equation.operands[i];
    const bool has_dots = letters.find('.') != std::string::npos;
    const std::size_t named = letters.size() - (has_dots ? 1 : 0);
    if (shape.size() < named || (!has_dots && shape.size() != named)) {
      return refused(
          fmt::format("operand {} has shape {}, its equation {} axes", i, text_of(shape), named));
    }
    std::size_t axis = 0;
    for (const char letter : letters) {
      if (letter == '.') {
        const std::size_t many = shape.size() - named;
        const auto from = shape.begin() + static_cast<std::ptrdiff_t>(axis);
        const auto wider = broadcast(dots, Shape(from, from + static_cast<std::ptrdiff_t>(many)));
        if (!wider) return refused("the dimensions in place of its dots do not go together");
        dots = *wider;
        axis += many;
        continue;
      }
      const auto [at, is_new] = dims.emplace(letter, shape[axis]);
      if (!is_new && (!at->second || at->second == Dim(1))) at->second = shape[axis];
      ++axis;
    }
  }
  Shape result;
  for (const char letter : equation.result) {
    if (letter == '.') {
      result.insert(result.end(), dots.begin(), dots.end());
    } else if (dims.contains(letter)) {
      result.push_back(dims[letter]);
    } else {
      return refused(fmt::format("its equation makes axis '{}' of nothing", letter));
    }
  }
  return std::vector{tensor_fact(call[0].element, std::move(result))};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Einsum", einsum},
    {"", "Gemm", gemm},
    {"", "MatMul", matmul},
    {"", "MatMulInteger", matmul_integer},
    {"", "QLinearMatMul", qlinear_matmul},
    {"com.microsoft", "FusedMatMul", fused_matmul},
    {"com.microsoft", "FusedMatMulActivation", fused_matmul},
    {"com.microsoft", "TransposeMatMul", fused_matmul},
});

}  // namespace

tl::expected<std::optional<Shape>, std::string> product_shape(const std::optional<Shape>& a,
                                                              const std::optional<Shape>& b) {
  if (!a || !b) return std::nullopt;
  const auto mismatch = [&] {
    return refused(fmt::format("its operands of shape {} and {} are no matrices to multiply",
                               text_of(a), text_of(b)));
  };
  if (a->empty() || b->empty()) return mismatch();
  // A vector is a matrix of one row, or one column, that the result does not have.
  Shape left = *a;
  Shape right = *b;
  if (a->size() == 1) left.insert(left.begin(), 1);
  if (b->size() == 1) right.emplace_back(1);
  const Dim& inner = left.back();
  const Dim& other = right[right.size() - 2];
  if (inner && other && *inner != *other) return mismatch();
  auto result =
      broadcast(Shape(left.begin(), left.end() - 2), Shape(right.begin(), right.end() - 2));
  if (!result) return mismatch();
  if (a->size() > 1) result->push_back(left[left.size() - 2]);
  if (b->size() > 1) result->push_back(right.back());
  return result;
}

std::span<const RuleRow> matrix_rules() {
  return kRows;
}

}  // namespace berth
