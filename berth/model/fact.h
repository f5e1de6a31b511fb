#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/ir/dtype.h"
#include "berth/ir/model_graph.h"

namespace berth {

// A dimension; nothing where only the run decides it.
using Dim = std::optional<std::uint64_t>;
using Shape = std::vector<Dim>;

// What is known of a value before the model runs.
struct Fact {
  bool tensor = true;  // otherwise a list, a map, text: of no fixed size
  // What is open of it takes several values in one run, or depends on what does, or is one of
  // several that are known: no one shape that the file states holds of it.
  bool varies = false;
  std::optional<Dtype> element;
  std::optional<Shape> shape;  // nothing: not even how many dimensions
  // The elements of a small integer or real tensor whose dimensions are all known.
  std::optional<Numbers> numbers;

  friend bool operator==(const Fact&, const Fact&) = default;
};

// "[1, 64, ?]"; "unknown" where there is no shape.
std::string text_of(const std::optional<Shape>& shape);

bool is_known(const Shape& shape);

// How many elements; nothing where a dimension is not known or 64 bits do not hold the count. A
// dimension of 0 makes it 0, whatever the others are.
std::optional<std::uint64_t> count_of(const Shape& shape);

// What holds of a value that is the one or the other: where they differ, it varies.
Fact joined(const Fact& a, const Fact& b);

// Something of it that other shapes may depend on is not known: its type, its shape, or which
// elements it has, where these are few.
bool is_open(const Fact& fact);

// Sequences, maps, optionals and text.
Fact unsized_fact();

Fact fact_of(const ConstantTensor& constant);

}  // namespace berth
