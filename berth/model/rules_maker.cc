// Operators that make a tensor of a shape that they are told.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "berth/ir/element_code.h"
#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

// The dimensions that a list of ints means; nothing where not even their number is known.
tl::expected<std::optional<Shape>, std::string> shape_from(const Fact& list) {
  if (!list.numbers || !is_int(*list.numbers)) {
    const bool is_counted = list.shape && list.shape->size() == 1 && list.shape->front() &&
                            *list.shape->front() <= kMostNumbers;
    if (!is_counted) return std::nullopt;
    return Shape(static_cast<std::size_t>(*list.shape->front()));
  }
  Shape shape;
  for (const auto& dim : std::get<Numbers::Ints>(list.numbers->list)) {
    if (dim && *dim < 0) return refused(fmt::format("it asks for a dimension of {}", *dim));
    shape.push_back(dim ? Dim(static_cast<std::uint64_t>(*dim)) : Dim());
  }
  return shape;
}

Answer constant_of_shape(const Call& call) {
  const auto shape = shape_from(call[0]);
  if (!shape) return refused(shape.error());
  const ConstantTensor* value = call.tensor("value");
  Fact fact = tensor_fact(value == nullptr ? Dtype::of("float32") : value->element, *shape);
  const auto count = fact.shape && is_known(*fact.shape) ? count_of(*fact.shape) : std::nullopt;
  if (!count || *count > kMostNumbers) return std::vector{std::move(fact)};
  const auto filler =
      value == nullptr ? std::optional(Numbers{Numbers::Reals{0.0}}) : value->numbers;
  if (filler && size_of(*filler) == 1) {
    fact.numbers = picked(*filler, std::vector<std::size_t>(*count, 0));
  }
  return std::vector{std::move(fact)};
}

// --- Range ---

Fact int_range(const Call& call, Fact fact) {
  const auto from = call.ints(0);
  const auto to = call.ints(1);
  const auto by = call.ints(2);
  if (!from || !to || !by || from->size() != 1 || to->size() != 1 || by->size() != 1) return fact;
  if (by->front() == 0) return fact;
  __extension__ const __int128 reach = static_cast<__int128>(to->front()) - from->front();
  __extension__ const __int128 step = by->front();
  __extension__ const __int128 count =
      (reach > 0) == (step > 0) && reach != 0 ? (reach + step + (step > 0 ? -1 : 1)) / step : 0;
  if (count > INT64_MAX) return fact;
  fact.shape = Shape{static_cast<std::uint64_t>(count)};
  if (count > static_cast<std::int64_t>(kMostNumbers)) return fact;
  Numbers::Ints numbers;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    numbers.emplace_back(from->front() + i * by->front());
  }
  fact.numbers = fitted({std::move(numbers)}, fact.element);
  return fact;
}

Fact real_range(const Call& call, Fact fact) {
  const auto from = call.reals(0);
  const auto to = call.reals(1);
  const auto by = call.reals(2);
  if (!from || !to || !by || from->size() != 1 || to->size() != 1 || by->size() != 1) return fact;
  const double count = std::ceil((to->front() - from->front()) / by->front());
  if (!(count < 1e15)) return fact;
  fact.shape = Shape{count > 0 ? static_cast<std::uint64_t>(count) : 0};
  if (count > static_cast<double>(kMostNumbers)) return fact;
  Numbers::Reals numbers;
  for (std::uint64_t i = 0; i < *fact.shape->front(); ++i) {
    numbers.emplace_back(from->front() + static_cast<double>(i) * by->front());
  }
  fact.numbers = fitted({std::move(numbers)}, fact.element);
  return fact;
}

Answer range(const Call& call) {
  Fact fact = tensor_fact(call[0].element, Shape(1));
  if (call.number(2) == 0.0) return refused("it goes in steps of 0");
  if (!call[0].numbers) return std::vector{std::move(fact)};
  return std::vector{is_int(*call[0].numbers) ? int_range(call, std::move(fact))
                                              : real_range(call, std::move(fact))};
}

// --- Random numbers ---

Answer random(const Call& call) {
  Shape shape;
  for (const std::int64_t dim : call.integers("shape").value_or(std::vector<std::int64_t>())) {
    if (dim < 0) return refused(fmt::format("it asks for a dimension of {}", dim));
    shape.emplace_back(static_cast<std::uint64_t>(dim));
  }
  return std::vector{tensor_fact(element_of_code(call.integer("dtype", 1)), std::move(shape))};
}

Answer random_like(const Call& call) {
  const auto element = element_of_code(call.integer("dtype", 0));
  return std::vector{tensor_fact(element ? element : call[0].element, call.shape(0))};
}

Answer multinomial(const Call& call) {
  Fact fact = tensor_fact(element_of_code(call.integer("dtype", 6)), std::nullopt);
  const std::int64_t samples = call.integer("sample_size", 1);
  if (samples < 0) return refused(fmt::format("it draws {} samples", samples));
  if (call.shape(0) && call.shape(0)->size() == 2) {
    fact.shape = Shape{call.shape(0)->front(), static_cast<std::uint64_t>(samples)};
  }
  return std::vector{std::move(fact)};
}

// --- One place in each row ---

// An index past the depth, from either end, is nowhere.
std::optional<Numbers> one_hot_numbers(const Call& call, const Shape& result, std::size_t axis) {
  const auto indices = call.ints(0);
  if (!indices || !call[2].numbers || size_of(*call[2].numbers) != 2 || !is_followed(result)) {
    return std::nullopt;
  }
  const Grid grid(result);
  const Grid from(*call.shape(0));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    auto place = grid.place(i);
    const std::size_t at = place[axis];
    place.erase(place.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto said = axis_of((*indices)[from.index(place)], grid.dim(axis));
    chosen.push_back(said == at ? 1 : 0);
  }
  return picked(*call[2].numbers, chosen);
}

Answer one_hot(const Call& call) {
  Fact fact = tensor_fact(call[2].element, std::nullopt);
  const auto& indices = call.shape(0);
  if (!indices) return std::vector{std::move(fact)};
  const std::size_t rank = indices->size() + 1;
  const auto axis = axis_of(call.integer("axis", -1), rank);
  if (!axis)
    return refused(
        fmt::format("a result of {} axes has no axis {}", rank, call.integer("axis", -1)));
  Dim depth;
  // Of any type; what is past the point is cut off.
  if (const auto said = call.number(1); said && *said >= 0 && *said < 1e15) {
    depth = static_cast<std::uint64_t>(*said);
  }
  fact.shape = *indices;
  fact.shape->insert(fact.shape->begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  fact.numbers = one_hot_numbers(call, *fact.shape, *axis);
  return std::vector{std::move(fact)};
}

// --- Scaled images ---

// A dimension times its scale, rounded down, in the arithmetic of the operator's definition.
Dim scaled(const Dim& dim, double scale) {
  if (!dim) return std::nullopt;
  const double length =
      std::floor(static_cast<double>(static_cast<float>(*dim) * static_cast<float>(scale)));
  if (!(length >= 0 && length < 1e15)) return std::nullopt;
  return static_cast<std::uint64_t>(length);
}

// One scale for all axes: the least of those that are asked for, or the greatest.
std::optional<std::vector<std::int64_t>> kept_in_proportion(
    const Shape& shape, const std::vector<std::size_t>& axes,
    const std::optional<std::vector<std::int64_t>>& sizes, bool not_larger) {
  if (!sizes || sizes->size() != axes.size()) return sizes;
  std::optional<float> scale;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim& dim = shape[axes[i]];
    if (!dim || *dim == 0) return std::nullopt;
    const float asked = static_cast<float>((*sizes)[i]) / static_cast<float>(*dim);
    scale = !scale ? asked : not_larger ? std::min(*scale, asked) : std::max(*scale, asked);
  }
  std::vector<std::int64_t> kept;
  for (const std::size_t axis : axes) {
    const float length = std::round(*scale * static_cast<float>(*shape[axis]));
    if (!(length >= 0 && length < 1e15F)) return std::nullopt;
    kept.push_back(static_cast<std::int64_t>(length));
  }
  return kept;
}

Answer resize(const Call& call) {
  Fact fact = tensor_fact(call[0].element, call.shape(0));
  if (!fact.shape) return std::vector{std::move(fact)};
  Shape& shape = *fact.shape;
  const bool is_upsample = call.node().op == "Upsample";
  const bool is_first_version = !is_upsample && call.opset() < 11 && call.opset() > 0;
  const std::size_t scales_at = is_upsample || is_first_version ? 1 : 2;
  // Some axes alone since version 18.
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
  if (const auto said = call.integers("axes")) {
    axes.clear();
    for (const std::int64_t axis : *said) {
      const auto at = axis_of(axis, shape.size());
      if (!at)
        return refused(fmt::format("its operand of shape {} has no axis {}", text_of(shape), axis));
      axes.push_back(*at);
    }
  }
  // What is empty is not given.
  const auto is_said = [&](std::size_t at) {
    return call.given(at) && !(call.shape(at) && count_of(*call.shape(at)) == 0);
  };
  auto sizes = call.ints(3);
  if (const auto policy = call.text("keep_aspect_ratio_policy", "stretch");
      policy != "stretch" && is_said(3)) {
    sizes = kept_in_proportion(shape, axes, sizes, policy == "not_larger");
  }
  auto scales = call.reals(scales_at);
  if (is_upsample && !call.given(1)) scales = call.real_list("scales");
  const auto fits = [&](const auto& list) { return !list || list->size() == axes.size(); };
  if ((is_said(3) && !fits(sizes)) || (!is_said(3) && is_said(scales_at) && !fits(scales))) {
    return refused(fmt::format("it is told {} sizes for {} axes",
                               is_said(3) ? sizes->size() : scales->size(), axes.size()));
  }
  const bool by_sizes = is_said(3) && sizes;
  const bool by_scales = !is_said(3) && scales && fits(scales);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Dim& dim = shape[axes[i]];
    if (by_sizes && (*sizes)[i] >= 0) {
      dim = static_cast<std::uint64_t>((*sizes)[i]);
    } else {
      dim = by_scales ? scaled(dim, (*scales)[i]) : Dim();
    }
  }
  return std::vector{std::move(fact)};
}

Answer grid_sample(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto& grid = call.shape(1);
  if (!shape || !grid || shape->size() < 3 || grid->size() != shape->size()) {
    return std::vector{std::move(fact)};
  }
  fact.shape = Shape{(*shape)[0], (*shape)[1]};
  fact.shape->insert(fact.shape->end(), grid->begin() + 1, grid->end() - 1);
  return std::vector{std::move(fact)};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "ConstantOfShape", constant_of_shape},
    {"", "EyeLike", random_like},
    {"", "GridSample", grid_sample},
    {"", "Multinomial", multinomial},
    {"", "OneHot", one_hot},
    {"", "RandomNormal", random},
    {"", "RandomNormalLike", random_like},
    {"", "RandomUniform", random},
    {"", "RandomUniformLike", random_like},
    {"", "Range", range},
    {"", "Resize", resize},
    {"", "Upsample", resize},
    {"com.microsoft", "GridSample", grid_sample},
    {"com.microsoft", "Range", range},
});

}  // namespace

std::span<const RuleRow> maker_rules() {
  return kRows;
}

}  // namespace berth
