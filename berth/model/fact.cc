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
  both.varies = a.varies || b.varies || a.element != b.element;
  if (a.element == b.element) both.element = a.element;
  if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
    both.shape = a.shape;
    for (std::size_t i = 0; i < both.shape->size(); ++i) {
      if ((*a.shape)[i] == (*b.shape)[i]) continue;
      (*both.shape)[i].reset();
      both.varies = true;
    }
  } else {
    both.varies = both.varies || a.shape != b.shape;
  }
  if (a.numbers == b.numbers && a.shape == b.shape) {
    both.numbers = a.numbers;
  } else {
    both.varies = true;
  }
  both.varies = both.varies && is_open(both);
  return both;
}

bool is_open(const Fact& fact) {
  if (!fact.tensor) return false;
  if (!fact.element || !fact.shape || !is_known(*fact.shape)) return true;
  if (count_of(*fact.shape).value_or(kMostNumbers + 1) > kMostNumbers) return false;
  return !fact.numbers || std::visit(
                              [](const auto& list) {
                                return std::ranges::any_of(
                                    list, [](const auto& number) { return !number.has_value(); });
                              },
                              fact.numbers->list);
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
