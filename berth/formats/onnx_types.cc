#include "berth/formats/onnx_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "berth/ir/element_code.h"
#include "berth/ir/tensor_size.h"
#include "onnx_schema.pb.h"

namespace berth::onnx {
namespace {

constexpr int kMostDims = 64;
tl::unexpected<std::string> unknown_type(std::int64_t number) {
  return tl::unexpected(fmt::format("its element type {} is not known", number));
}

template <typename Dims>
OrReason<std::vector<std::uint64_t>> checked_dims(const Dims& dims) {
  if (dims.size() > kMostDims) {
    return tl::unexpected(
        fmt::format("it has {} dimensions; the limit is {}", dims.size(), kMostDims));
  }
  std::vector<std::uint64_t> checked;
  for (const std::int64_t dim : dims) {
    if (dim < 0) {
      return tl::unexpected(fmt::format("dimension {} of its shape is {}", checked.size(), dim));
    }
    checked.push_back(static_cast<std::uint64_t>(dim));
  }
  return checked;
}

// --- Elements ---

template <typename Stored>
std::vector<Stored> raw_elements(const std::string& raw) {
  static_assert(std::endian::native == std::endian::little, "raw data is little-endian");
  std::vector<Stored> elements(raw.size() / sizeof(Stored));
  std::memcpy(elements.data(), raw.data(), elements.size() * sizeof(Stored));
  return elements;
}

template <typename Stored>
Numbers ints_of(const std::vector<Stored>& elements) {
  Numbers::Ints ints;
  for (const Stored element : elements) {
    if (std::in_range<std::int64_t>(element)) {
      ints.emplace_back(static_cast<std::int64_t>(element));
    } else {
      ints.emplace_back(std::nullopt);
    }
  }
  return {std::move(ints)};
}

template <typename List>
Numbers reals_of(const List& elements) {
  Numbers::Reals reals;
  for (const auto element : elements) reals.emplace_back(element);
  return {std::move(reals)};
}

template <typename Stored, typename Field>
Numbers ints_from(const std::string& raw, const Field& field) {
  if (!raw.empty()) return ints_of(raw_elements<Stored>(raw));
  return ints_of(std::vector<typename Field::value_type>(field.begin(), field.end()));
}

// A real of 16 bits, with so many of them for the exponent.
double real_of_bits(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int most = (1 << exponent_bits) - 1;
  const int exponent = bits >> fraction_bits & most;
  const double fraction = bits & ((1 << fraction_bits) - 1);
  const int bias = most / 2;
  double size = 0;
  if (exponent == most) {
    size = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    size = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    size = std::ldexp(1 + std::ldexp(fraction, -fraction_bits), exponent - bias);
  }
  return (bits & 0x8000) == 0 ? size : -size;
}

template <typename Field>
Numbers short_reals(const std::string& raw, const Field& field, int exponent_bits) {
  Numbers::Reals reals;
  if (!raw.empty()) {
    for (const std::uint16_t bits : raw_elements<std::uint16_t>(raw)) {
      reals.emplace_back(real_of_bits(bits, exponent_bits));
    }
    return {std::move(reals)};
  }
  for (const std::int32_t bits : field) {
    reals.emplace_back(real_of_bits(static_cast<std::uint16_t>(bits), exponent_bits));
  }
  return {std::move(reals)};
}

std::optional<Numbers> listed_numbers(const schema::Tensor& tensor) {
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case 1:
      return raw.empty() ? reals_of(tensor.float_data()) : reals_of(raw_elements<float>(raw));
    case 11:
      return raw.empty() ? reals_of(tensor.double_data()) : reals_of(raw_elements<double>(raw));
    case 10:
      return short_reals(raw, tensor.int32_data(), 5);
    case 16:
      return short_reals(raw, tensor.int32_data(), 8);
    case 2:
    case 9:
      return ints_from<std::uint8_t>(raw, tensor.int32_data());
    case 3:
      return ints_from<std::int8_t>(raw, tensor.int32_data());
    case 4:
      return ints_from<std::uint16_t>(raw, tensor.int32_data());
    case 5:
      return ints_from<std::int16_t>(raw, tensor.int32_data());
    case 6:
      return ints_from<std::int32_t>(raw, tensor.int32_data());
    case 7:
      return ints_from<std::int64_t>(raw, tensor.int64_data());
    case 12:
      return ints_from<std::uint32_t>(raw, tensor.uint64_data());
    case 13:
      return ints_from<std::uint64_t>(raw, tensor.uint64_data());
    default:
      return std::nullopt;
  }
}

bool is_elsewhere(const schema::Tensor& tensor) {
  return tensor.data_location() == 1;
}

// The elements, where they are few and all there.
std::optional<Numbers> numbers_of(const schema::Tensor& tensor, std::uint64_t count) {
  if (count > kMostNumbers || is_elsewhere(tensor)) return std::nullopt;
  auto numbers = listed_numbers(tensor);
  if (!numbers) return std::nullopt;
  const auto size = std::visit([](const auto& list) { return list.size(); }, numbers->list);
  return size == count ? std::move(numbers) : std::nullopt;
}

}  // namespace

OrReason<DeclaredType> declared_type(const schema::Type& type) {
  DeclaredType declared;
  declared.tensor = !type.has_sequence_type() && !type.has_map_type() &&
                    !type.has_sparse_tensor_type() && !type.has_optional_type();
  if (!type.has_tensor_type()) return declared;
  const auto& tensor = type.tensor_type();
  if (tensor.elem_type() != 0) {
    if (!is_element_code(tensor.elem_type())) return unknown_type(tensor.elem_type());
    declared.element = element_of_code(tensor.elem_type());
    declared.tensor = declared.element.has_value();  // text is sized at run time
  }
  if (!tensor.has_shape()) return declared;
  if (tensor.shape().dim_size() > kMostDims) {
    return tl::unexpected(
        fmt::format("it has {} dimensions; the limit is {}", tensor.shape().dim_size(), kMostDims));
  }
  declared.dims.emplace();
  for (const auto& dim : tensor.shape().dim()) {
    DeclaredDim known;
    // Exporters write -1 for what they do not know.
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      known.size = static_cast<std::uint64_t>(dim.dim_value());
    } else {
      known.symbol = printable(dim.dim_param());
    }
    declared.dims->push_back(std::move(known));
  }
  return declared;
}

OrReason<ConstantTensor> constant_tensor(const schema::Tensor& tensor) {
  if (!is_element_code(tensor.data_type())) return unknown_type(tensor.data_type());
  const auto element = element_of_code(tensor.data_type());
  auto dims = checked_dims(tensor.dims());
  if (!dims) return tl::unexpected(dims.error());
  ConstantTensor constant{element, *std::move(dims), std::nullopt};
  if (!constant.element) return constant;

  const auto bytes = tensor_bytes(constant.dims, constant.element->bits());
  if (!bytes) {
    return tl::unexpected(fmt::format("it needs {} bytes, more than 64 bits hold", bytes.error()));
  }
  const std::size_t raw = tensor.raw_data().size();
  if (raw != 0 && Bytes(raw) != *bytes && !is_elsewhere(tensor)) {
    return tl::unexpected(
        fmt::format("its shape needs {} bytes, its data has {}", bytes->count(), raw));
  }
  // Its bytes fit 64 bits, and no element that has numbers is smaller than a byte.
  std::uint64_t count = 1;
  for (const std::uint64_t dim : constant.dims) count *= dim;
  if (constant.element->bits() >= 8) constant.numbers = numbers_of(tensor, count);
  return constant;
}

OrReason<ConstantTensor> constant_tensor(const schema::SparseTensor& tensor) {
  const auto code = tensor.values().data_type();
  if (!is_element_code(code)) return unknown_type(code);
  const auto element = element_of_code(code);
  auto dims = checked_dims(tensor.dims());
  if (!dims) return tl::unexpected(dims.error());
  if (element) {
    const auto bytes = tensor_bytes(*dims, element->bits());
    if (!bytes) {
      return tl::unexpected(
          fmt::format("it needs {} bytes, more than 64 bits hold", bytes.error()));
    }
  }
  return ConstantTensor{element, *std::move(dims), std::nullopt};
}

}  // namespace berth::onnx
