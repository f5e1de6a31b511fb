#pragma once

#include <cstdint>
#include <optional>

#include "berth/model/fact.h"

namespace berth {

// Arithmetic on single dimensions: of what is not known, or past 64 bits, nothing is known.

inline Dim times(const Dim& a, const Dim& b) {
  std::uint64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

inline Dim sum(const Dim& a, const Dim& b) {
  std::uint64_t total = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &total)) return std::nullopt;
  return total;
}

// Also nothing where it does not divide.
inline Dim quotient(const Dim& dim, std::int64_t divisor) {
  if (!dim || divisor < 1 || *dim % static_cast<std::uint64_t>(divisor) != 0) return std::nullopt;
  return *dim / static_cast<std::uint64_t>(divisor);
}

inline Dim dim_of(const std::optional<Shape>& shape, std::size_t at) {
  return shape && at < shape->size() ? (*shape)[at] : Dim();
}

// The last one is 1 from the end.
inline Dim dim_from_end(const std::optional<Shape>& shape, std::size_t back) {
  return shape && back <= shape->size() ? (*shape)[shape->size() - back] : Dim();
}

// The one that is known, where one of them is.
inline Dim either(const Dim& a, const Dim& b) {
  return a ? a : b;
}

// A count from an attribute or an operand; nothing where it is negative.
inline Dim size_from(std::int64_t number) {
  return number < 0 ? Dim() : Dim(static_cast<std::uint64_t>(number));
}

}  // namespace berth
