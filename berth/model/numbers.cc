#include "berth/model/numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace berth {
namespace {

std::vector<std::size_t> strides_of(const Shape& shape) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<std::size_t>(*shape[i]);
  }
  return strides;
}

// The indices that a walk in row-major order over `dims` meets, with a step for each dimension.
std::vector<std::size_t> walked(const std::vector<std::size_t>& dims,
                                const std::vector<std::size_t>& steps) {
  if (std::ranges::find(dims, 0U) != dims.end()) return {};
  std::vector<std::size_t> indices = {0};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::vector<std::size_t> next;
    for (const std::size_t base : indices) {
      for (std::size_t k = 0; k < dims[i]; ++k) next.push_back(base + k * steps[i]);
    }
    indices = std::move(next);
  }
  return indices;
}

// To the nearest of so many bits, of a tie to the even one; `least` is the exponent under which
// numbers lose bits, `most` the one past which they are infinite.
double rounded(double number, int bits, int least, int most) {
  if (number == 0 || !std::isfinite(number)) return number;
  int exponent = 0;
  (void)std::frexp(number, &exponent);
  const int unit = std::max(exponent, least) - bits;
  const double result = std::ldexp(std::nearbyint(std::ldexp(number, -unit)), unit);
  return std::fabs(result) < std::ldexp(1.0, most) ? result : std::copysign(INFINITY, number);
}

}  // namespace

Grid::Grid(const Shape& shape) {
  for (const Dim& dim : shape) {
    dims_.push_back(static_cast<std::size_t>(*dim));
    size_ *= dims_.back();
  }
}

std::vector<std::size_t> Grid::place(std::size_t index) const {
  std::vector<std::size_t> place(dims_.size());
  for (std::size_t i = dims_.size(); i-- > 0;) {
    place[i] = index % dims_[i];
    index /= dims_[i];
  }
  return place;
}

std::size_t Grid::index(std::span<const std::size_t> place) const {
  std::size_t index = 0;
  for (std::size_t i = 0; i < dims_.size(); ++i) index = index * dims_[i] + place[i];
  return index;
}

bool is_followed(const std::optional<Shape>& shape) {
  return shape && is_known(*shape) && count_of(*shape).value_or(kMostNumbers + 1) <= kMostNumbers;
}

bool is_real(std::optional<Dtype> element) {
  if (!element) return false;
  const std::string_view name = element->name();
  return name == "float64" || name == "float32" || name == "float16" || name == "bfloat16";
}

std::size_t size_of(const Numbers& numbers) {
  return std::visit([](const auto& list) { return list.size(); }, numbers.list);
}

bool is_int(const Numbers& numbers) {
  return std::holds_alternative<Numbers::Ints>(numbers.list);
}

Numbers picked(const Numbers& numbers, const std::vector<std::size_t>& indices) {
  return std::visit(
      [&](const auto& list) {
        auto chosen = list;
        chosen.clear();
        for (const std::size_t index : indices) chosen.push_back(list[index]);
        return Numbers{std::move(chosen)};
      },
      numbers.list);
}

Numbers picked_or_unknown(const Numbers& numbers,
                          const std::vector<std::optional<std::size_t>>& indices) {
  return std::visit(
      [&](const auto& list) {
        auto chosen = list;
        chosen.clear();
        for (const auto& index : indices) {
          chosen.emplace_back();
          if (index) chosen.back() = list[*index];
        }
        return Numbers{std::move(chosen)};
      },
      numbers.list);
}

std::optional<Numbers> joined_lists(const Numbers& a, const Numbers& b) {
  if (is_int(a) != is_int(b)) return std::nullopt;
  return std::visit(
      [&](auto list) {
        const auto& more = std::get<decltype(list)>(b.list);
        list.insert(list.end(), more.begin(), more.end());
        return Numbers{std::move(list)};
      },
      a.list);
}

Numbers converted(const Numbers& numbers, bool to_int) {
  if (is_int(numbers) == to_int) return numbers;
  if (const auto* ints = std::get_if<Numbers::Ints>(&numbers.list)) {
    Numbers::Reals reals;
    for (const auto& number : *ints) {
      reals.push_back(number ? std::optional(static_cast<double>(*number)) : std::nullopt);
    }
    return {std::move(reals)};
  }
  Numbers::Ints ints;
  for (const auto& number : std::get<Numbers::Reals>(numbers.list)) {
    constexpr double kPast = 9223372036854775808.0;  // 2^63
    const bool fits = number && *number >= -kPast && *number < kPast;
    ints.push_back(fits ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt);
  }
  return {std::move(ints)};
}

std::optional<Numbers> fitted(Numbers numbers, std::optional<Dtype> element) {
  if (!element) return std::nullopt;
  const std::string_view name = element->name();
  if (auto* reals = std::get_if<Numbers::Reals>(&numbers.list)) {
    if (!is_real(element)) return std::nullopt;
    for (auto& number : *reals) {
      if (number && name == "float32") number = static_cast<double>(static_cast<float>(*number));
      if (number && name == "float16") number = rounded(*number, 11, -13, 16);
      if (number && name == "bfloat16") number = rounded(*number, 8, -125, 128);
    }
    return numbers;
  }
  const bool is_signed = name.starts_with("int");
  if (!is_signed && !name.starts_with("uint") && name != "bool") return std::nullopt;
  const unsigned bits = (name == "bool" ? 1 : element->bits()) - (is_signed ? 1 : 0);
  const std::int64_t high = bits >= 63 ? INT64_MAX : (std::int64_t{1} << bits) - 1;
  const std::int64_t low = is_signed ? -high - 1 : 0;
  for (auto& number : std::get<Numbers::Ints>(numbers.list)) {
    if (number && (*number < low || *number > high)) number.reset();
  }
  return numbers;
}

std::vector<std::size_t> stretched_indices(const Shape& from, const Shape& to) {
  const auto strides = strides_of(from);
  std::vector<std::size_t> dims;
  std::vector<std::size_t> steps;
  const std::size_t lead = to.size() - from.size();
  for (std::size_t i = 0; i < to.size(); ++i) {
    dims.push_back(static_cast<std::size_t>(*to[i]));
    const bool is_stretched = i < lead || *from[i - lead] == 1;
    steps.push_back(is_stretched ? 0 : strides[i - lead]);
  }
  return walked(dims, steps);
}

std::vector<std::size_t> transposed_indices(const Shape& shape,
                                            const std::vector<std::size_t>& order) {
  const auto strides = strides_of(shape);
  std::vector<std::size_t> dims;
  std::vector<std::size_t> steps;
  for (const std::size_t axis : order) {
    dims.push_back(static_cast<std::size_t>(*shape[axis]));
    steps.push_back(strides[axis]);
  }
  return walked(dims, steps);
}

}  // namespace berth
