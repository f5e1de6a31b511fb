#include "berth/base/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace berth {
namespace {

// What a leading byte promises: how many bytes follow, and the least code point that needs them.
struct Lead {
  std::size_t length = 0;
  std::uint32_t bits = 0;
  std::uint32_t least = 0;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, byte & 0x1FU, 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, byte & 0x0FU, 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, byte & 0x07U, 0x10000};
  return {};
}

bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

// Line and paragraph separators, and the marks that turn the direction of what follows: they would
// break a row, or show one name as another.
bool disturbs_a_line(std::uint32_t point) {
  return point == 0x2028 || point == 0x2029 || (point >= 0x200E && point <= 0x200F) ||
         (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

bool is_noncharacter(std::uint32_t point) {
  return (point & 0xFFFE) == 0xFFFE;
}

struct Character {
  std::size_t length = 0;  // 0: the text does not begin with a well-formed one
  std::uint32_t point = 0;
};

Character first_character(std::string_view text) {
  const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
  if (lead.length == 0 || lead.length > text.size()) return {};
  std::uint32_t point = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    point = (point << 6) | (next & 0x3FU);
  }
  const bool shortest = point >= lead.least;
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  if (!shortest || surrogate || point >= 0x110000) return {};
  return {lead.length, point};
}

}  // namespace

std::size_t printable_prefix(std::string_view text) {
  const auto [length, point] = first_character(text);
  const bool shown = !is_noncharacter(point) && !is_control(point) && !disturbs_a_line(point);
  return shown ? length : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = printable_prefix(text);
    if (length == 0) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    } else {
      shown += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return shown;
}

}  // namespace berth
