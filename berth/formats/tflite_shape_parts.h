#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/formats/tflite_shape_rules.h"
#include "tflite_schema_generated.h"

namespace berth::tflite {

using Operands = std::span<const Shaped>;
using Numbers = std::vector<std::int64_t>;
using Maybe = std::optional<std::vector<Shaped>>;

constexpr std::int64_t kMostDim = std::int64_t{1} << 31;

inline Maybe one(Dims dims) {
  return {{Shaped{std::move(dims), std::nullopt}}};
}

// Where an axis, which may be counted from the end, is.
std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank);

// Nothing past 2^62.
std::optional<std::int64_t> product(std::span<const std::int64_t> dims);

// Of an operand; null where they are not known.
const Numbers* numbers_of(Operands operands, std::size_t index);

// Rules of operators that give the same elements otherwise, parts of them, or more or fewer.
Maybe reshape(const schema::Operator& options, Operands operands);
Maybe squeeze(const schema::Operator& options, Operands operands);
Maybe expand_dims(Operands operands);
Maybe transpose(Operands operands);
Maybe blocks(Operands operands, const schema::BlockOptions* options, bool to_depth);
Maybe concatenation(const schema::Operator& options, Operands operands);
Maybe pack(const schema::Operator& options, Operands operands);
Maybe unpack(const schema::Operator& options, Operands operands, std::size_t results);
Maybe split(Operands operands, std::size_t results);
Maybe split_by_sizes(Operands operands, std::size_t results);
Maybe slice(Operands operands);
Maybe strided_slice(const schema::Operator& options, Operands operands);
Maybe gather(const schema::Operator& options, Operands operands);
Maybe gather_nd(Operands operands);
Maybe padded(Operands operands);
Maybe tiled(Operands operands);
Maybe reduced(std::string_view name, const schema::Operator& options, Operands operands);
Maybe arg_reduced(Operands operands);
Maybe resized(Operands operands);
Maybe given(Operands operands, std::size_t index);
Maybe range(Operands operands);
Maybe shape_of(Operands operands);

}  // namespace berth::tflite
