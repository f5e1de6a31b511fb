#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/interval.h"

namespace berth {

// An amount of memory. Arithmetic on it is exact: it traps where the result does not fit 64 bits,
// so a sum taken from a file goes through checked_add first.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t count) : count_(count) {}
  constexpr std::uint64_t count() const { return count_; }
  friend constexpr auto operator<=>(Bytes, Bytes) = default;

 private:
  std::uint64_t count_ = 0;
};

// A place in an arena: bytes from its start.
class Offset {
 public:
  constexpr Offset() = default;
  constexpr explicit Offset(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }
  friend constexpr auto operator<=>(Offset, Offset) = default;

 private:
  std::uint64_t value_ = 0;
};

// A place on a device.
class Address {
 public:
  constexpr Address() = default;
  constexpr explicit Address(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t value() const { return value_; }
  friend constexpr auto operator<=>(Address, Address) = default;

 private:
  std::uint64_t value_ = 0;
};

// A power of two, by construction.
class Alignment {
 public:
  constexpr Alignment() = default;
  // Nothing unless `value` is a power of two.
  static constexpr std::optional<Alignment> of(std::uint64_t value) {
    if (value == 0 || (value & (value - 1)) != 0) return std::nullopt;
    return Alignment(value);
  }
  constexpr std::uint64_t value() const { return value_; }
  friend constexpr auto operator<=>(Alignment, Alignment) = default;

 private:
  constexpr explicit Alignment(std::uint64_t value) : value_(value) {}
  std::uint64_t value_ = 1;
};

using ByteRange = HalfOpen<std::uint64_t>;  // bytes of a buffer, or of an arena

// Nothing where the result does not fit 64 bits.
std::optional<Bytes> checked_add(Bytes a, Bytes b);
std::optional<Bytes> checked_multiply(Bytes a, std::uint64_t times);
std::optional<Bytes> checked_round_up(Bytes a, Alignment unit);

// Known to fit; traps if it does not. Subtraction traps below zero.
Bytes operator+(Bytes a, Bytes b);
Bytes operator-(Bytes a, Bytes b);
Bytes& operator+=(Bytes& a, Bytes b);
Bytes& operator-=(Bytes& a, Bytes b);
Bytes round_up(Bytes a, Alignment unit);
Offset operator+(Offset a, Bytes b);
Offset round_up(Offset a, Alignment unit);

// "55296 B (54.0 KiB)": exact first, then for people.
std::string to_string(Bytes bytes);

// A size as a person types it: 4096, 0x1000, 64KiB, 2MB (K, M, G, T with B for powers of 1000 and
// iB for powers of 1024). Nothing if it is not one or does not fit 64 bits.
std::optional<std::uint64_t> parse_size(const std::string& text);

}  // namespace berth
