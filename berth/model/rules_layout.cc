// Operators that give the same elements other axes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// The elements stay as they are, in their order.
Fact with_same_elements(const Fact& operand, std::optional<Shape> shape) {
  Fact result = tensor_fact(operand.element, std::move(shape));
  if (result.shape && is_known(*result.shape)) result.numbers = operand.numbers;
  return result;
}

std::string no_axis(const Call& call, std::int64_t axis) {
  return fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)), axis);
}

// --- Reshape ---

// The dimensions asked for: 0 is the operand's own (unless zeros are allowed), -1 is what is left.
using Wanted = std::vector<std::optional<std::int64_t>>;

std::optional<Wanted> wanted_dims(const Call& call) {
  if (!call.given(1)) {
    const auto list = call.integers("shape");
    if (!list) return std::nullopt;
    return Wanted(list->begin(), list->end());
  }
  if (call[1].numbers && is_int(*call[1].numbers)) {
    return std::get<Numbers::Ints>(call[1].numbers->list);
  }
  if (!call.shape(1) || call.shape(1)->size() != 1 || !call.shape(1)->front()) return std::nullopt;
  if (*call.shape(1)->front() > kMostNumbers) return std::nullopt;
  return Wanted(static_cast<std::size_t>(*call.shape(1)->front()));
}

// What is left for the one dimension that is asked for as -1.
tl::expected<Dim, std::string> left_over(const Shape& operand, const Shape& result,
                                         std::size_t open) {
  Shape others = result;
  others[open] = 1;
  // Dimensions that both have say nothing of the rest, known or not.
  Shape mine = operand;
  for (std::size_t i = 0; i < std::min(mine.size(), others.size()); ++i) {
    if (i != open && !mine[i] && !others[i]) mine[i] = others[i] = 1;
  }
  const auto all = count_of(mine);
  const auto rest = count_of(others);
  if (!all || !rest) return Dim();
  if (*rest == 0) return Dim(0);
  if (*all % *rest != 0) {
    return refused(fmt::format("{} elements of shape {} cannot be laid out as {}", *all,
                               text_of(operand), text_of(result)));
  }
  return Dim(*all / *rest);
}

Answer reshape(const Call& call) {
  const auto wanted = wanted_dims(call);
  if (!wanted) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  const auto& operand = call.shape(0);
  const bool zeros_are_zeros = call.integer("allowzero", 0) != 0;
  Shape result;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const auto& dim = (*wanted)[i];
    if (!dim) {
      result.emplace_back();
    } else if (*dim == -1) {
      open.push_back(i);
      result.emplace_back();
    } else if (*dim < -1) {
      return refused(fmt::format("dimension {} of the shape it asks for is {}", i, *dim));
    } else if (*dim == 0 && !zeros_are_zeros) {
      if (operand && i >= operand->size())
        return refused(no_axis(call, static_cast<std::int64_t>(i)));
      result.push_back(operand ? (*operand)[i] : Dim());
    } else {
      result.emplace_back(static_cast<std::uint64_t>(*dim));
    }
  }
  if (open.size() > 1) return refused("the shape it asks for leaves more than one dimension open");
  const bool all_said =
      std::ranges::all_of(*wanted, [](const auto& dim) { return dim.has_value(); });
  if (open.size() == 1 && operand && all_said) {
    const auto dim = left_over(*operand, result, open[0]);
    if (!dim) return refused(dim.error());
    result[open[0]] = *dim;
  }
  if (operand && is_known(*operand) && is_known(result) && count_of(*operand) != count_of(result)) {
    return refused(fmt::format("{} cannot be laid out as {}", text_of(operand), text_of(result)));
  }
  return std::vector{with_same_elements(call[0], std::move(result))};
}

Answer flatten(const Call& call) {
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{tensor_fact(call[0].element, Shape(2))};
  const auto rank = static_cast<std::int64_t>(shape->size());
  std::int64_t axis = call.integer("axis", 1);
  if (axis < -rank || axis > rank) return refused(no_axis(call, axis));
  if (axis < 0) axis += rank;
  const auto middle = shape->begin() + axis;
  return std::vector{with_same_elements(call[0], Shape{count_of(Shape(shape->begin(), middle)),
                                                       count_of(Shape(middle, shape->end()))})};
}

// --- Axes of one place ---

Answer squeeze(const Call& call) {
  const auto& shape = call.shape(0);
  const auto axes = call.ints_of("axes", 1, {});
  if (!shape || !axes) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  std::vector<bool> dropped(shape->size(), false);
  for (const std::int64_t axis : *axes) {
    const auto at = axis_of(axis, shape->size());
    if (!at) return refused(no_axis(call, axis));
    if ((*shape)[*at].value_or(1) != 1) {
      return refused(
          fmt::format("axis {} of its operand of shape {} is not 1", axis, text_of(shape)));
    }
    dropped[*at] = true;
  }
  if (!call.is_given("axes", 1)) {
    // All axes of one place: which these are is known only where all dimensions are.
    if (!is_known(*shape)) return std::vector{tensor_fact(call[0].element, std::nullopt)};
    for (std::size_t i = 0; i < shape->size(); ++i) dropped[i] = (*shape)[i] == Dim(1);
  }
  Shape result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!dropped[i]) result.push_back((*shape)[i]);
  }
  return std::vector{with_same_elements(call[0], std::move(result))};
}

Answer unsqueeze(const Call& call) {
  const auto& shape = call.shape(0);
  const auto axes = call.ints_of("axes", 1, {});
  if (!shape || !axes) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  const std::size_t rank = shape->size() + axes->size();
  std::vector<bool> added(rank, false);
  for (const std::int64_t axis : *axes) {
    const auto at = axis_of(axis, rank);
    if (!at || added[*at]) {
      return refused(
          fmt::format("axis {} cannot be added to its operand of shape {}", axis, text_of(shape)));
    }
    added[*at] = true;
  }
  Shape result;
  std::size_t next = 0;
  for (const bool is_added : added) result.push_back(is_added ? Dim(1) : (*shape)[next++]);
  return std::vector{with_same_elements(call[0], std::move(result))};
}

// --- Order and stretching ---

Answer transpose(const Call& call) {
  const auto& shape = call.shape(0);
  if (!shape) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  std::vector<std::size_t> order(shape->size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  if (const auto perm = call.integers("perm")) {
    std::vector<bool> seen(shape->size(), false);
    order.clear();
    for (const std::int64_t axis : *perm) {
      const auto at = axis_of(axis, shape->size());
      if (!at || seen[*at]) return refused(no_axis(call, axis));
      seen[*at] = true;
      order.push_back(*at);
    }
    if (order.size() != shape->size()) {
      return refused(fmt::format("its perm has {} axes, its operand of shape {} {}", order.size(),
                                 text_of(shape), shape->size()));
    }
  }
  Shape result;
  for (const std::size_t axis : order) result.push_back((*shape)[axis]);
  Fact fact = tensor_fact(call[0].element, std::move(result));
  if (call[0].numbers) fact.numbers = picked(*call[0].numbers, transposed_indices(*shape, order));
  return std::vector{std::move(fact)};
}

Answer expand(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto wanted = wanted_dims(call);
  if (!shape || !wanted) return std::vector{std::move(fact)};
  Shape target;
  for (const auto& dim : *wanted) {
    if (dim && *dim < 0) return refused(fmt::format("it asks for a dimension of {}", *dim));
    target.push_back(dim ? Dim(static_cast<std::uint64_t>(*dim)) : Dim());
  }
  auto result = broadcast(*shape, target);
  if (!result) {
    return refused(fmt::format("its operand of shape {} cannot be stretched to {}", text_of(shape),
                               text_of(target)));
  }
  fact.shape = *std::move(result);
  const auto count = count_of(*fact.shape);
  if (call[0].numbers && is_known(*fact.shape) && count && *count <= kMostNumbers) {
    fact.numbers = picked(*call[0].numbers, stretched_indices(*shape, *fact.shape));
  }
  return std::vector{std::move(fact)};
}

// --- What a shape says of itself ---

Answer shape_of(const Call& call) {
  Fact fact = tensor_fact(Dtype::of("int64"), Shape(1));
  if (!call.shape(0)) return std::vector{std::move(fact)};
  const Shape& shape = *call.shape(0);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
  };
  const std::int64_t begin = bound(call.integer("start", 0));
  const std::int64_t end = std::max(begin, bound(call.integer("end", rank)));
  Numbers::Ints dims;
  for (std::int64_t i = begin; i < end; ++i) {
    const Dim& dim = shape[static_cast<std::size_t>(i)];
    const bool fits = dim && *dim <= static_cast<std::uint64_t>(INT64_MAX);
    dims.push_back(fits ? std::optional(static_cast<std::int64_t>(*dim)) : std::nullopt);
  }
  fact.shape = Shape{dims.size()};
  fact.numbers = Numbers{std::move(dims)};
  return std::vector{std::move(fact)};
}

Answer size(const Call& call) {
  Fact fact = tensor_fact(Dtype::of("int64"), Shape());
  const auto count = call.shape(0) ? count_of(*call.shape(0)) : std::nullopt;
  if (count && *count <= static_cast<std::uint64_t>(INT64_MAX)) {
    fact.numbers = Numbers{Numbers::Ints{static_cast<std::int64_t>(*count)}};
  }
  return std::vector{std::move(fact)};
}

// --- Blocks of an image ---

Answer depth_to_space(const Call& call) {
  const auto& shape = call.shape(0);
  const auto block = static_cast<std::uint64_t>(call.integer("blocksize", 0));
  if (!shape) return std::vector{tensor_fact(call[0].element, std::nullopt)};
  const bool is_depth = call.node().op == "DepthToSpace";
  if (shape->size() != 4 || block == 0 || block > 1'000'000) {
    return refused(fmt::format("its operand has shape {}, its blocks size {}", text_of(shape),
                               call.integer("blocksize", 0)));
  }
  Shape result = *shape;
  const auto change = [&](std::size_t axis, std::uint64_t factor, bool grows) {
    Dim& dim = result[axis];
    if (!dim) return true;
    if (grows) return !__builtin_mul_overflow(*dim, factor, &*dim);
    if (*dim % factor != 0) return false;
    *dim /= factor;
    return true;
  };
  if (!change(1, block * block, !is_depth) || !change(2, block, is_depth) ||
      !change(3, block, is_depth)) {
    return refused(
        fmt::format("its operand of shape {} has no whole blocks of {}", text_of(shape), block));
  }
  return std::vector{tensor_fact(call[0].element, std::move(result))};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "DepthToSpace", depth_to_space},
    {"", "Expand", expand},
    {"", "Flatten", flatten},
    {"", "Reshape", reshape},
    {"", "Shape", shape_of},
    {"", "Size", size},
    {"", "SpaceToDepth", depth_to_space},
    {"", "Squeeze", squeeze},
    {"", "Transpose", transpose},
    {"", "Unsqueeze", unsqueeze},
});

}  // namespace

std::span<const RuleRow> layout_rules() {
  return kRows;
}

}  // namespace berth
