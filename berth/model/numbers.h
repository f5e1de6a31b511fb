#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/model/fact.h"

namespace berth {

// Arithmetic on the few elements that decide shapes, element by element: what is not known stays
// so.

// The elements of a tensor of known dimensions by their places, in row-major order.
class Grid {
 public:
  explicit Grid(const Shape& shape);

  std::size_t size() const { return size_; }
  std::size_t dim(std::size_t axis) const { return dims_[axis]; }
  std::vector<std::size_t> place(std::size_t index) const;
  std::size_t index(std::span<const std::size_t> place) const;

 private:
  std::vector<std::size_t> dims_;
  std::size_t size_ = 1;
};

// As many elements as are followed, all of whose dimensions are known.
bool is_followed(const std::optional<Shape>& shape);

std::size_t size_of(const Numbers& numbers);
bool is_int(const Numbers& numbers);

// The elements at these indices, in this order.
Numbers picked(const Numbers& numbers, const std::vector<std::size_t>& indices);

// One list behind the other; nothing where the one is of ints and the other of reals.
std::optional<Numbers> joined_lists(const Numbers& a, const Numbers& b);

// The elements at these indices, and one that is not known where there is none.
Numbers picked_or_unknown(const Numbers& numbers,
                          const std::vector<std::optional<std::size_t>>& indices);

// To ints (rounded to zero) or to reals.
Numbers converted(const Numbers& numbers, bool to_int);

// Of a type with a fraction.
bool is_real(std::optional<Dtype> element);

// As elements of this type hold them: reals rounded to it, ints that it cannot hold unknown.
// Nothing where elements of the type are not followed.
std::optional<Numbers> fitted(Numbers numbers, std::optional<Dtype> element);

// For each element of a tensor of shape `to`, in order, the index of the element of one of shape
// `from` that is stretched to it. Both are known, and few.
std::vector<std::size_t> stretched_indices(const Shape& from, const Shape& to);

// A tensor of shape `shape` walked along the axes `order`: the indices of its elements in the order
// in which the transposed tensor has them.
std::vector<std::size_t> transposed_indices(const Shape& shape,
                                            const std::vector<std::size_t>& order);

}  // namespace berth
