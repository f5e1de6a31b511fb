#include "berth/render/map_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "berth/base/text.h"
#include "berth/render/map_style.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

// The same name has the same colour in every map (FNV-1a).
std::size_t colour_of(std::string_view name) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : name) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  }
  return (hash ^ (hash >> 32)) % kMapColours;
}

std::string tile_classes(const Plan& plan, const MapTile& drawn) {
  if (drawn.view) return "v";
  const Box& box = drawn.box;
  // A light rim sets neighbours apart, but would eat up a sliver.
  const bool sliver = std::min(box.width, box.height) < 3 * kPixel;
  return fmt::format("{} c{}{}", sliver ? "s" : "b",
                     colour_of(plan.buffers[drawn.tile.buffer].name), drawn.tile.whole ? "" : " k");
}

std::string tile_title(const Plan& plan, const MapTile& drawn, std::size_t limit) {
  const PlannedBuffer& buffer = plan.buffers[drawn.tile.buffer];
  const std::string name = xml_text(shortened(buffer.name, limit));
  std::string title =
      fmt::format("{}\n{}\nsteps [{}, {})\noffset {}", name, to_string(buffer.bytes),
                  buffer.life.lower, buffer.life.upper, buffer.offset.value());
  if (!drawn.tile.whole) {
    title += fmt::format("\nkeeps {} B here", drawn.tile.bytes.upper - drawn.tile.bytes.lower);
  }
  return title;
}

// How many letters of `name`, shortened, fit `length`.
std::size_t letters_in(Length length, std::string_view name) {
  constexpr std::size_t kMost = 400;  // no box is longer
  std::size_t fit = 0;
  std::size_t above = std::min(width_of(printable(name)), kMost) + 1;
  while (above - fit > 1) {
    const std::size_t middle = fit + (above - fit) / 2;
    const bool fits = length_of(shortened(name, std::max<std::size_t>(middle, 3))) <= length;
    (fits ? fit : above) = middle;
  }
  return fit;
}

constexpr std::size_t kEnough = 8;  // letters of a longer name that still tell it

std::string upright_label(const PlannedBuffer& buffer, const Box& box, std::size_t letters) {
  const std::string name = shortened(buffer.name, std::max<std::size_t>(letters, 3));
  const std::string size = short_size(buffer.bytes.count());
  const Length middle = box.y + box.height / 2;
  const Length x = box.x + 4 * kPixel;
  const bool two_lines = box.height >= 28 * kPixel && length_of(size) <= box.width - 4 * kPixel;
  if (!two_lines) return text_at("n", x, middle + 4 * kPixel, name);
  return text_at("n", x, middle - 2 * kPixel, name) + text_at("n2", x, middle + 10 * kPixel, size);
}

std::string turned_label(const PlannedBuffer& buffer, const Box& box, std::size_t letters) {
  const std::string name = shortened(buffer.name, std::max<std::size_t>(letters, 3));
  return fmt::format("<text class=\"n\" transform=\"translate({} {}) rotate(-90)\">{}</text>\n",
                     px(box.x + box.width / 2 + 4 * kPixel), px(box.y + box.height - 4 * kPixel),
                     xml_text(name));
}

}  // namespace

std::string short_size(std::uint64_t bytes) {
  std::string text = human(Bytes(bytes));
  const std::size_t idle = text.find(".0 ");
  if (idle != std::string::npos) text.erase(idle, 2);
  return text;
}

std::size_t name_limit(std::size_t tiles) {
  return tiles <= 2000 ? 160 : 40;
}

std::string tile_rect(const Plan& plan, const MapTile& drawn, TileNotes notes, std::size_t limit) {
  const std::string classes = tile_classes(plan, drawn);
  std::string element = rect(classes, drawn.box);
  element.resize(element.size() - 3);  // "/>\n"
  if (notes == TileNotes::Indices) {
    return element + fmt::format(" data-b=\"{}\"/>\n", drawn.tile.buffer);
  }
  return element + "><title>" + tile_title(plan, drawn, limit) + "</title></rect>\n";
}

std::string tile_label(const Plan& plan, const MapTile& drawn) {
  if (drawn.view) return "";
  const PlannedBuffer& buffer = plan.buffers[drawn.tile.buffer];
  const Box& box = drawn.label;
  const bool flat = box.height < 13 * kPixel;
  const bool thin = box.width < 13 * kPixel;
  const std::size_t across = flat ? 0 : letters_in(box.width - 8 * kPixel, buffer.name);
  const std::size_t up = thin ? 0 : letters_in(box.height - 8 * kPixel, buffer.name);
  const std::size_t whole = width_of(printable(buffer.name));
  // The whole name is worth turning it; a piece of one only where it shows more than across.
  if (across >= whole) return upright_label(buffer, box, across);
  if (up >= whole || (up >= kEnough && up > across)) return turned_label(buffer, box, up);
  return across >= kEnough ? upright_label(buffer, box, across) : "";
}

}  // namespace berth
