#include "berth/ir/element_code.h"

#include <array>
#include <string_view>

namespace berth {
namespace {

constexpr std::array<std::string_view, 27> kNames = {"",
                                                     "float32",
                                                     "uint8",
                                                     "int8",
                                                     "uint16",
                                                     "int16",
                                                     "int32",
                                                     "int64",
                                                     "text",
                                                     "bool",
                                                     "float16",
                                                     "float64",
                                                     "uint32",
                                                     "uint64",
                                                     "complex64",
                                                     "complex128",
                                                     "bfloat16",
                                                     "float8_e4m3fn",
                                                     "float8_e4m3fnuz",
                                                     "float8_e5m2",
                                                     "float8_e5m2fnuz",
                                                     "uint4",
                                                     "int4",
                                                     "float4_e2m1",
                                                     "float8_e8m0",
                                                     "uint2",
                                                     "int2"};

}  // namespace

bool is_element_code(std::int64_t code) {
  return code > 0 && code < static_cast<std::int64_t>(kNames.size());
}

std::optional<Dtype> element_of_code(std::int64_t code) {
  if (!is_element_code(code) || code == kTextCode) return std::nullopt;
  return Dtype::of(kNames[static_cast<std::size_t>(code)]);
}

}  // namespace berth
