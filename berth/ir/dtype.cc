#include "berth/ir/dtype.h"

#include <array>

namespace berth {
namespace {

struct DtypeRow {
  std::string_view name;
  unsigned bits;
};

constexpr std::array<DtypeRow, 30> kDtypes = {{
    {"bool", 8},
    {"int1", 1},
    {"uint1", 1},
    {"int2", 2},
    {"uint2", 2},
    {"int4", 4},
    {"uint4", 4},
    {"int8", 8},
    {"uint8", 8},
    {"int16", 16},
    {"uint16", 16},
    {"int32", 32},
    {"uint32", 32},
    {"int64", 64},
    {"uint64", 64},
    {"float4_e2m1", 4},
    {"float8_e4m3", 8},
    {"float8_e4m3fn", 8},
    {"float8_e5m2", 8},
    {"fp8e4m3", 8},
    {"fp8e5m2", 8},
    {"float16", 16},
    {"bfloat16", 16},
    {"float32", 32},
    {"float64", 64},
    {"complex64", 64},
    {"complex128", 128},
    {"float8_e8m0", 8},
    {"float8_e4m3fnuz", 8},
    {"float8_e5m2fnuz", 8},
}};

}  // namespace

std::optional<Dtype> Dtype::of(std::string_view name) {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return Dtype(static_cast<std::uint8_t>(i));
  }
  return std::nullopt;
}

Dtype Dtype::int8() {
  return *of("int8");
}

std::string_view Dtype::name() const {
  return kDtypes[index_].name;
}

unsigned Dtype::bits() const {
  return kDtypes[index_].bits;
}

std::optional<Bytes> Dtype::bytes_of(std::uint64_t elements) const {
  if (bits() >= 8) return checked_multiply(Bytes(elements), bits() / 8);
  const std::uint64_t packed = 8 / bits();
  return Bytes(elements / packed + (elements % packed == 0 ? 0 : 1));
}

std::string Dtype::names() {
  std::string names;
  for (const DtypeRow& row : kDtypes) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace berth
