#include "berth/render/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "berth/base/text.h"

namespace berth {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

// Where character `index` of `text` begins.
std::size_t start_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (starts_character(text[at]) && index-- == 0) break;
  }
  return at;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string shortened(std::string_view name, std::size_t width) {
  assert(width >= 3);
  std::string text = printable(name);
  const std::size_t has = width_of(text);
  if (has <= width) return text;
  const std::size_t tail = (width - 1) / 2;
  const std::size_t head = width - 1 - tail;
  return text.substr(0, start_of(text, head)) + std::string(kEllipsis) +
         text.substr(start_of(text, has - tail));
}

std::string left_aligned(std::string_view text, std::size_t width) {
  const std::size_t has = width_of(text);
  return std::string(text) + std::string(width > has ? width - has : 0, ' ');
}

std::string right_aligned(std::string_view text, std::size_t width) {
  const std::size_t has = width_of(text);
  return std::string(width > has ? width - has : 0, ' ') + std::string(text);
}

std::string human(Bytes bytes) {
  const std::string both = to_string(bytes);
  const std::size_t open = both.find('(');
  return open == std::string::npos ? both : both.substr(open + 1, both.size() - open - 2);
}

std::string per_cent(Bytes part, Bytes whole) {
  assert(whole > Bytes(0));
  __extension__ using Wide = unsigned __int128;
  const Wide tenths = (Wide(part.count()) * 2000 + whole.count()) / (Wide(whole.count()) * 2);
  const auto whole_per_cents = static_cast<std::uint64_t>(tenths / 10);
  return fmt::format("{}.{} %", whole_per_cents, static_cast<unsigned>(tenths % 10));
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char byte : printable(text)) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

std::string xml_lines(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += xml_text(text.substr(at, end - at));
    if (end < text.size()) lines += '\n';
    at = end + 1;
  }
  return lines;
}

std::string json_text(std::string_view text) {
  std::string escaped = "\"";
  for (const char byte : printable(text)) {
    switch (byte) {
      case '"':
        escaped += "\\\"";
        break;
      case '\\':
        escaped += "\\\\";
        break;
      case '<':
        escaped += "\\u003c";
        break;  // neither </script> nor <!--
      case '>':
        escaped += "\\u003e";
        break;
      case '&':
        escaped += "\\u0026";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped + "\"";
}

}  // namespace berth
