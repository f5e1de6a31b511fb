// Operators that take or put elements by indices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/numbers.h"
#include "berth/model/rule.h"

namespace berth {
namespace {

std::string no_axis(const Call& call, std::int64_t axis) {
  return fmt::format("its operand of shape {} has no axis {}", text_of(call.shape(0)), axis);
}

// From a list, as a dimension is taken from a shape. An index may be unknown, and so be the
// element.
std::optional<Numbers> taken(const Call& call) {
  const auto& shape = call.shape(0);
  if (!call[0].numbers || shape->size() != 1) return std::nullopt;
  const auto indices = call.ints(1);
  if (!indices) return std::nullopt;
  std::vector<std::size_t> chosen;
  for (const std::int64_t index : *indices) {
    const auto at = axis_of(index, size_of(*call[0].numbers));
    if (!at) return std::nullopt;
    chosen.push_back(*at);
  }
  return picked(*call[0].numbers, chosen);
}

Answer gather(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto& indices = call.shape(1);
  if (!shape || !indices) return std::vector{std::move(fact)};
  const auto axis = axis_of(call.integer("axis", 0), shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  Shape result(shape->begin(), shape->begin() + at);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), shape->begin() + at + 1, shape->end());
  fact.shape = std::move(result);
  fact.numbers = taken(call);
  return std::vector{std::move(fact)};
}

Answer gather_elements(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(1))};
}

Answer gather_nd(const Call& call) {
  Fact fact = tensor_fact(call[0].element, std::nullopt);
  const auto& shape = call.shape(0);
  const auto& indices = call.shape(1);
  if (!shape || !indices || indices->empty() || !indices->back()) {
    return std::vector{std::move(fact)};
  }
  const auto batch = call.integer("batch_dims", 0);
  const std::uint64_t depth = *indices->back();
  const bool is_inside = batch >= 0 && static_cast<std::uint64_t>(batch) < indices->size() &&
                         depth <= shape->size() &&
                         static_cast<std::uint64_t>(batch) + depth <= shape->size();
  if (!is_inside) {
    return refused(fmt::format("its operand of shape {} cannot be indexed by indices of shape {}",
                               text_of(shape), text_of(indices)));
  }
  Shape result(indices->begin(), indices->end() - 1);
  const auto rest = static_cast<std::ptrdiff_t>(static_cast<std::uint64_t>(batch) + depth);
  result.insert(result.end(), shape->begin() + rest, shape->end());
  fact.shape = std::move(result);
  return std::vector{std::move(fact)};
}

// The operand with some elements replaced.
Answer scatter(const Call& call) {
  return std::vector{tensor_fact(call[0].element, call.shape(0))};
}

// How many elements pass is decided by their values.
Answer compress(const Call& call) {
  Fact fact = tensor_fact(call[0].element, Shape(1));
  if (call.node().attribute("axis") == nullptr) return std::vector{std::move(fact)};
  fact.shape = call.shape(0);
  if (!fact.shape) return std::vector{std::move(fact)};
  const auto axis = axis_of(call.integer("axis", 0), fact.shape->size());
  if (!axis) return refused(no_axis(call, call.integer("axis", 0)));
  (*fact.shape)[*axis].reset();
  return std::vector{std::move(fact)};
}

Answer top_k(const Call& call) {
  std::optional<Shape> shape = call.shape(0);
  if (shape) {
    const auto axis = axis_of(call.integer("axis", -1), shape->size());
    if (!axis) return refused(no_axis(call, call.integer("axis", -1)));
    const auto k = call.ints_of("k", 1, {});
    (*shape)[*axis].reset();
    if (k && k->size() == 1 && k->front() >= 0) {
      (*shape)[*axis] = static_cast<std::uint64_t>(k->front());
    }
  }
  return std::vector{tensor_fact(call[0].element, shape), tensor_fact(Dtype::of("int64"), shape)};
}

Answer non_zero(const Call& call) {
  Shape result(2);
  if (call.shape(0)) result[0] = call.shape(0)->size();
  return std::vector{tensor_fact(Dtype::of("int64"), std::move(result))};
}

Answer non_max_suppression(const Call&) {
  return std::vector{tensor_fact(Dtype::of("int64"), Shape{Dim(), Dim(3)})};
}

Answer unique(const Call& call) {
  std::optional<Shape> values = Shape(1);
  if (call.node().attribute("axis") != nullptr) {
    values = call.shape(0);
    const auto axis = values ? axis_of(call.integer("axis", 0), values->size()) : std::nullopt;
    if (values && !axis) return refused(no_axis(call, call.integer("axis", 0)));
    if (values) (*values)[*axis].reset();
  }
  const Fact list = tensor_fact(Dtype::of("int64"), Shape(1));
  return std::vector{tensor_fact(call[0].element, values), list, list, list};
}

constexpr auto kRows = std::to_array<RuleRow>({
    {"", "Compress", compress},
    {"", "Gather", gather},
    {"", "GatherElements", gather_elements},
    {"", "GatherND", gather_nd},
    {"", "NonMaxSuppression", non_max_suppression},
    {"", "NonZero", non_zero},
    {"", "Scatter", scatter},
    {"", "ScatterElements", scatter},
    {"", "ScatterND", scatter},
    {"", "TensorScatter", scatter},
    {"", "TopK", top_k},
    {"", "Unique", unique},
    {"com.microsoft", "GatherND", gather_nd},
});

}  // namespace

std::span<const RuleRow> gather_rules() {
  return kRows;
}

}  // namespace berth
