#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/ir/model_graph.h"
#include "berth/model/fact.h"

namespace berth {

// Arithmetic on the few elements that decide shapes, element by element: what is not known stays
// so.

std::size_t size_of(const Numbers& numbers);
bool is_int(const Numbers& numbers);

// The elements at these indices, in this order.
Numbers picked(const Numbers& numbers, const std::vector<std::size_t>& indices);

// One list behind the other; nothing where the one is of ints and the other of reals.
std::optional<Numbers> joined_lists(const Numbers& a, const Numbers& b);

// To ints (rounded to zero) or to reals.
Numbers converted(const Numbers& numbers, bool to_int);

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
