#include "berth/model/fact.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth {

std::string text_of(const std::optional<Shape>& shape) {
  if (!shape) return "unknown";
  std::vector<std::string> dims;
  for (const Dim& dim : *shape) dims.push_back(dim ? fmt::format("{}", *dim) : "?");
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

bool is_known(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Dim& dim) { return dim.has_value(); });
}

std::optional<std::uint64_t> count_of(const Shape& shape) {
  if (std::ranges::find(shape, Dim(0)) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const Dim& dim : shape) {
    if (!dim || __builtin_mul_overflow(count, *dim, &count)) return std::nullopt;
  }
  return count;
}

Fact joined(const Fact& a, const Fact& b) {
  Fact both;
  both.tensor = a.tensor && b.tensor;
  if (a.element == b.element) both.element = a.element;
  if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
    both.shape = a.shape;
    for (std::size_t i = 0; i < both.shape->size(); ++i) {
      if ((*a.shape)[i] != (*b.shape)[i]) (*both.shape)[i].reset();
    }
  }
  if (a.numbers == b.numbers && a.shape == b.shape) both.numbers = a.numbers;
  return both;
}

Fact unsized_fact() {
  Fact fact;
  fact.tensor = false;
  return fact;
}

Fact fact_of(const ConstantTensor& constant) {
  Fact fact;
  fact.tensor = constant.element.has_value();
  fact.element = constant.element;
  fact.shape = Shape(constant.dims.begin(), constant.dims.end());
  fact.numbers = constant.numbers;
  return fact;
}

}  // namespace berth
