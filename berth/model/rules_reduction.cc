// Operators that fold axes away.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// Which axes are folded; nothing where that is not known.
using Folded = tl::expected<std::optional<std::vector<bool>>, std::string>;

Folded folded_axes(const Call& call, const Shape& shape) {
  const auto axes = call.ints_of("axes", 1, {});
  if (!axes) return std::nullopt;
  std::vector<bool> folded(shape.size(), axes->empty());
  if (axes->empty() && call.integer("noop_with_empty_axes", 0) != 0) {
    folded.assign(shape.size(), false);
  }
  for (const std::int64_t axis : *axes) {
    const auto at = axis_of(axis, shape.size());
    if (!at) {
      return refused(fmt::format("its operand of shape {} has no axis {}", text_of(shape), axis));
    }
    folded[*at] = true;
  }
  return folded;
}

Shape without(const Shape& shape, const std::vector<bool>& folded, bool keep) {
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!folded[i]) {
      result.push_back(shape[i]);
    } else if (keep) {
      result.emplace_back(1);
    }
  }
  return result;
}

// Of a list that is folded whole: what shapes are computed by.
std::optional<Numbers> folded_numbers(const Call& call, const Fact& result) {
  const auto numbers = call.ints(0);
  if (!numbers || numbers->empty() || !result.shape || count_of(*result.shape) != 1) {
    return std::nullopt;
  }
  const std::string& op = call.node().op;
  std::int64_t folded = numbers->front();
  for (std::size_t i = 1; i < numbers->size(); ++i) {
    const std::int64_t next = (*numbers)[i];
    if (op == "ReduceProd") {
      if (__builtin_mul_overflow(folded, next, &folded)) return std::nullopt;
    } else if (op == "ReduceSum") {
      if (__builtin_add_overflow(folded, next, &folded)) return std::nullopt;
    } else if (op == "ReduceMax") {
      folded = std::max(folded, next);
    } else if (op == "ReduceMin") {
      folded = std::min(folded, next);
    } else {
      return std::nullopt;
    }
  }
  const bool is_plain =
      op == "ReduceProd" || op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin";
  if (!is_plain) return std::nullopt;
  return fitted({Numbers::Ints{folded}}, result.element);
}

Answer reduce(const Call& call) {
  Fact result = tensor_fact(call[0].element, std::nullopt);
  if (call.shape(0)) {
    const bool keep = call.integer("keepdims", 1) != 0;
    const auto folded = folded_axes(call, *call.shape(0));
    if (!folded) return refused(folded.error());
    if (*folded) {
      result.shape = without(*call.shape(0), **folded, keep);
    } else if (keep) {
      result.shape = Shape(call.shape(0)->size());
    }
    result.numbers = folded_numbers(call, result);
  }
  return std::vector{std::move(result)};
}

Answer index_of_extreme(const Call& call) {
  Fact result = tensor_fact(Dtype::of("int64"), std::nullopt);
  if (!call.shape(0)) return std::vector{std::move(result)};
  const auto axis = axis_of(call.integer("axis", 0), call.shape(0)->size());
  if (!axis) {
    return refused(fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)),
                               call.integer("axis", 0)));
  }
  std::vector<bool> folded(call.shape(0)->size(), false);
  folded[*axis] = true;
  result.shape = without(*call.shape(0), folded, call.integer("keepdims", 1) != 0);
  return std::vector{std::move(result)};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "ArgMax", index_of_extreme},
    {"", "ArgMin", index_of_extreme},
    {"", "ReduceL1", reduce},
    {"", "ReduceL2", reduce},
    {"", "ReduceLogSum", reduce},
    {"", "ReduceLogSumExp", reduce},
    {"", "ReduceMax", reduce},
    {"", "ReduceMean", reduce},
    {"", "ReduceMin", reduce},
    {"", "ReduceProd", reduce},
    {"", "ReduceSum", reduce},
    {"", "ReduceSumSquare", reduce},
});

}  // namespace

std::span<const RuleRow> reduction_rules() {
  return kRows;
}

}  // namespace berth
