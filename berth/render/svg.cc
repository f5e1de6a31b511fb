#include "berth/render/svg.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "berth/render/text.h"

namespace berth {

Length length_of(std::string_view text) {
  // Classes of letters, by thousandths of the font's size, the narrowest first.
  static constexpr std::pair<std::string_view, Length> kWidths[] = {
      {"ijlI'|", 310},
      {" .,:;/\\-f!()[]t", 400},
      {"rs_czJ\"", 560},
      {"abdeghknopquvxyLFTYZEPSKXC0123456789$?#*", 700},
      {"ABDGHNOQRUVw&+=<>~^", 850}};
  Length length = 0;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x80 && code < 0xC0) continue;  // of a letter that has been counted
    Length wide = code >= 0xE0 || code < 0x80 ? 1010 : 850;
    for (const auto& [letters, width] : kWidths) {
      if (letters.find(byte) == std::string_view::npos) continue;
      wide = width;
      break;
    }
    length += wide * 11 / 10;
  }
  return length;
}

std::string px(Length length) {
  const Length whole = std::abs(length) / kPixel;
  const Length part = std::abs(length) % kPixel;
  std::string text = fmt::format("{}{}", length < 0 ? "-" : "", whole);
  if (part == 0) return text;
  return text + (part % 10 == 0 ? fmt::format(".{}", part / 10) : fmt::format(".{:02}", part));
}

std::string rect(std::string_view classes, const Box& box) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", classes,
                     px(box.x), px(box.y), px(box.width), px(box.height));
}

std::string line(std::string_view classes, Length x1, Length y1, Length x2, Length y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", classes,
                     px(x1), px(y1), px(x2), px(y2));
}

std::string text_at(std::string_view classes, Length x, Length y, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", classes, px(x), px(y),
                     xml_text(text));
}

}  // namespace berth
