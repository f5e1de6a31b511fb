#include "berth/base/bytes.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace berth {
namespace {

// A broken promise of ours, in every build: a wrapped size would become a small arena.
[[noreturn]] void trap() {
  __builtin_trap();
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) trap();
  return result;
}

std::optional<std::uint64_t> rounded_up(std::uint64_t value, Alignment unit) {
  const std::uint64_t mask = unit.value() - 1;
  std::uint64_t result = 0;
  if (__builtin_add_overflow(value, mask, &result)) return std::nullopt;
  return result & ~mask;
}

}  // namespace

std::optional<Bytes> checked_add(Bytes a, Bytes b) {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(a.count(), b.count(), &result)) return std::nullopt;
  return Bytes(result);
}

std::optional<Bytes> checked_multiply(Bytes a, std::uint64_t times) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a.count(), times, &result)) return std::nullopt;
  return Bytes(result);
}

std::optional<Bytes> checked_round_up(Bytes a, Alignment unit) {
  const auto result = rounded_up(a.count(), unit);
  if (!result) return std::nullopt;
  return Bytes(*result);
}

Bytes operator+(Bytes a, Bytes b) {
  return Bytes(sum(a.count(), b.count()));
}

Bytes operator-(Bytes a, Bytes b) {
  if (a < b) trap();
  return Bytes(a.count() - b.count());
}

Bytes& operator+=(Bytes& a, Bytes b) {
  return a = a + b;
}
Bytes& operator-=(Bytes& a, Bytes b) {
  return a = a - b;
}

Bytes round_up(Bytes a, Alignment unit) {
  const auto result = checked_round_up(a, unit);
  if (!result) trap();
  return *result;
}

Offset operator+(Offset a, Bytes b) {
  return Offset(sum(a.value(), b.count()));
}

Offset round_up(Offset a, Alignment unit) {
  const auto result = rounded_up(a.value(), unit);
  if (!result) trap();
  return Offset(*result);
}

std::string to_string(Bytes bytes) {
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes.count() < 1024) return fmt::format("{} B", bytes.count());
  double scaled = static_cast<double>(bytes.count()) / 1024;
  std::size_t unit = 0;
  while (scaled >= 1024 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  return fmt::format("{} B ({:.1f} {})", bytes.count(), scaled, kUnits[unit]);
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    begin += 2;
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [rest, status] = std::from_chars(begin, end, value, base);
  if (status != std::errc() || rest == begin) return std::nullopt;

  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 10> kSuffixes = {{
      {"", 1},
      {"B", 1},
      {"KB", 1000},
      {"MB", 1000'000},
      {"GB", 1000'000'000},
      {"TB", 1000'000'000'000},
      {"KiB", std::uint64_t{1} << 10},
      {"MiB", std::uint64_t{1} << 20},
      {"GiB", std::uint64_t{1} << 30},
      {"TiB", std::uint64_t{1} << 40},
  }};
  for (const auto& [name, factor] : kSuffixes) {
    if (suffix != name) continue;
    const auto bytes = checked_multiply(Bytes(value), factor);
    if (!bytes) return std::nullopt;
    return bytes->count();
  }
  return std::nullopt;
}

}  // namespace berth
