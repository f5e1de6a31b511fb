#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "berth/base/bytes.h"

namespace berth {

// The type of an element, by its name in schedules: bool, int8 .. int64, uint8 .. uint64, float16,
// bfloat16, float32, float64, the 8-bit floats, complex64, complex128, and the packed types of 1, 2
// and 4 bits.
class Dtype {
 public:
  // Nothing if no type has this name.
  static std::optional<Dtype> of(std::string_view name);
  static Dtype int8();

  std::string_view name() const;
  unsigned bits() const;

  // Whole bytes for so many elements, packed ones rounded up; nothing past 64 bits.
  std::optional<Bytes> bytes_of(std::uint64_t elements) const;

  friend bool operator==(Dtype, Dtype) = default;

  // Every name, comma-separated, for messages.
  static std::string names();

 private:
  explicit constexpr Dtype(std::uint8_t index) : index_(index) {}
  std::uint8_t index_;
};

}  // namespace berth
