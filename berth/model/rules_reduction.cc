// Operators that fold axes away.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/folding.h"
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
    // Without axes, versions differ in whether each element is still folded by itself.
    const bool is_plain = *folded && (std::ranges::find(**folded, true) != (*folded)->end() ||
                                      call.shape(0)->empty());
    if (is_plain && is_followed(result.shape)) {
      const auto numbers = reduced(call.node().op, call[0], **folded);
      if (numbers) result.numbers = fitted(*numbers, result.element);
    }
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
  // Of equal ones the first counts.
  if (call.integer("select_last_index", 0) == 0) {
    const auto first = ranked(call[0], *axis, 1, call.node().op == "ArgMax");
    if (first && (*call.shape(0))[*axis] != Dim(0)) result.numbers = first->places;
  }
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
