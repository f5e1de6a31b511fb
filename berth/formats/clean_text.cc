#include "berth/formats/clean_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace berth {
namespace {

// What a first byte says: how many bytes follow, and the least code point that needs so many.
struct Lead {
  std::uint8_t mask;
  std::uint8_t value;
  std::size_t length;
  std::uint32_t least;
};

constexpr std::array kLeads = {Lead{0x80, 0x00, 1, 0x20}, Lead{0xE0, 0xC0, 2, 0x80},
                               Lead{0xF0, 0xE0, 3, 0x800}, Lead{0xF8, 0xF0, 4, 0x10000}};

bool is_character(std::uint32_t point) {
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  const bool control = point >= 0x7F && point < 0xA0;
  return point <= 0x10FFFF && !surrogate && !control;
}

// The length of the character that `text` begins with; 0 if it does not begin with one.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text.front());
  const auto lead = std::ranges::find_if(
      kLeads, [&](const Lead& candidate) { return (first & candidate.mask) == candidate.value; });
  if (lead == kLeads.end() || text.size() < lead->length) return 0;
  std::uint32_t point = first & static_cast<std::uint8_t>(~lead->mask);
  for (const char next : text.substr(1, lead->length - 1)) {
    const auto byte = static_cast<std::uint8_t>(next);
    if ((byte & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte & 0x3FU);
  }
  return point >= lead->least && is_character(point) ? lead->length : 0;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) clean += '?';
    if (length != 0) clean += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

}  // namespace berth
