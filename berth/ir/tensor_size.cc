#include "berth/ir/tensor_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kBase = 1'000'000'000;
constexpr std::size_t kMostDigits = 60;  // more than a message can use

// A natural number of any size, as digits of base 10^9, lowest first. Only messages need it.
class Decimal {
 public:
  void multiply(std::uint64_t factor) {
    Wide carry = 0;
    for (std::uint64_t& digit : digits_) {
      carry += Wide(digit) * factor;
      digit = static_cast<std::uint64_t>(carry % kBase);
      carry /= kBase;
    }
    for (; carry != 0; carry /= kBase) digits_.push_back(static_cast<std::uint64_t>(carry % kBase));
  }

  void divide_rounding_up(std::uint64_t divisor) {
    std::uint64_t rest = 0;
    for (std::uint64_t& digit : digits_ | std::views::reverse) {
      const std::uint64_t value = rest * kBase + digit;
      digit = value / divisor;
      rest = value % divisor;
    }
    if (rest != 0) increment();
  }

  std::string text() const {
    std::string text;
    for (const std::uint64_t digit : digits_ | std::views::reverse) {
      text += fmt::format("{:09}", digit);
    }
    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    if (text.size() <= kMostDigits) return text;
    return fmt::format("more than 10^{}", text.size() - 1);
  }

 private:
  void increment() {
    for (std::uint64_t& digit : digits_) {
      if (++digit < kBase) return;
      digit = 0;
    }
    digits_.push_back(1);
  }

  std::vector<std::uint64_t> digits_ = {1};
};

std::string exact_bytes(std::span<const std::uint64_t> dims, unsigned bits) {
  Decimal size;
  for (const std::uint64_t dim : dims) size.multiply(dim);
  size.multiply(bits);
  size.divide_rounding_up(8);
  return size.text();
}

// Nothing where it is so large that its bytes do not fit 64 bits either.
std::optional<Wide> count_bits(std::span<const std::uint64_t> dims, unsigned bits) {
  const Wide most = Wide(8) << 64;  // bits of 2^64 bytes
  Wide count = bits;
  for (const std::uint64_t dim : dims) {
    if (dim > most / count) return std::nullopt;
    count *= dim;
  }
  return count;
}

}  // namespace

tl::expected<Bytes, std::string> tensor_bytes(std::span<const std::uint64_t> dims, unsigned bits) {
  if (std::ranges::find(dims, 0U) != dims.end()) return Bytes(0);
  const auto count = count_bits(dims, bits);
  const Wide bytes = count ? (*count + 7) / 8 : 0;
  if (!count || bytes >> 64 != 0) return tl::unexpected(exact_bytes(dims, bits));
  return Bytes(static_cast<std::uint64_t>(bytes));
}

}  // namespace berth
