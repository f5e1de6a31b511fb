#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::tflite {

namespace schema {
struct Operator;
}

using Dims = std::vector<std::int64_t>;

// What is known of a value while shapes are followed: its dimensions, and its elements where it is
// a few integers that shapes are computed from.
struct Shaped {
  Dims dims;
  std::optional<std::vector<std::int64_t>> numbers;

  friend bool operator==(const Shaped&, const Shaped&) = default;
};

// The results of an operator, by the name that the public schema gives it, from its operands
// (those that are absent left out) and its options. `results`: how many it has. Nothing, where it
// has no rule here or its operands leave the shape open. O(dimensions).
std::optional<std::vector<Shaped>> shapes_by_rule(std::string_view name,
                                                  const schema::Operator& options,
                                                  std::span<const Shaped> operands,
                                                  std::size_t results);

}  // namespace berth::tflite
