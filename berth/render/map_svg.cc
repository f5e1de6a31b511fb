#include "berth/render/map_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "berth/render/map_style.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

std::string crumbs_path(const std::vector<Box>& crumbs) {
  if (crumbs.empty()) return "";
  std::string path = "<path class=\"crumb\" d=\"";
  for (const Box& box : crumbs) {
    path += fmt::format("M{} {}h{}v{}h-{}z", px(box.x), px(box.y), px(box.width), px(box.height),
                        px(box.width));
  }
  return path + "\"/>\n";
}

// The load as an area. Changes closer than a quarter of a pixel show as the highest of them.
std::string load_path(const MapLayout& layout, const MapPanel& panel) {
  struct Corner {
    Length x = 0;
    Bytes load;
  };
  std::vector<Corner> corners;
  for (const LoadStep& at : panel.load) {
    const Length x = layout.x(at.step) / 25 * 25;
    if (!corners.empty() && corners.back().x == x) {
      corners.back().load = std::max(corners.back().load, at.load);
    } else {
      corners.push_back({x, at.load});
    }
  }
  if (corners.empty()) return "";
  const Length bottom = panel.chart.y + panel.chart.height;
  std::string path =
      fmt::format("<path class=\"load\" d=\"M{} {}", px(corners.front().x), px(bottom));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    path += fmt::format("V{}", px(panel.chart_y(corners[i].load)));
    if (i + 1 < corners.size()) path += fmt::format("H{}", px(corners[i + 1].x));
  }
  return path + fmt::format("V{}z\"/>\n", px(bottom));
}

// Powers of two of bytes, at most six.
std::string address_ticks(const MapPanel& panel) {
  std::uint64_t tick = 1;
  while (panel.top / tick > 5) tick *= 2;
  std::string text;
  for (std::uint64_t byte = 0;; byte += tick) {
    const Length y = panel.y(byte);
    text += line("g", panel.plot.x, y, panel.plot.x + panel.plot.width, y);
    text += text_at("dim end", panel.plot.x - 8 * kPixel, y + 4 * kPixel, short_size(byte));
    if (panel.top - byte < tick) return text;
  }
}

std::string step_tick(const MapLayout& layout, const MapPanel& panel, Step step) {
  const Length x = layout.x(step);
  const Length bottom = panel.chart.y + panel.chart.height;
  return line("g", x, panel.plot.y, x, bottom + 4 * kPixel) +
         text_at("dim mid", x, bottom + 16 * kPixel, std::to_string(step));
}

// 1, 2, 5, 10, 20, 50, ...
std::uint64_t next_tick(std::uint64_t tick) {
  std::uint64_t leading = tick;
  while (leading >= 10) leading /= 10;
  return leading == 2 ? tick / 2 * 5 : tick * 2;
}

std::string step_ticks(const MapLayout& layout, const MapPanel& panel) {
  const LiveRange steps = layout.axis.steps();
  if (steps.empty()) return "";
  const Length wide =
      static_cast<Length>(std::to_string(steps.upper).size()) * kLetter + 24 * kPixel;
  std::string text;
  if (layout.axis.merged()) {
    Length free_from = 0;
    for (const Step cut : layout.axis.cuts()) {
      if (layout.x(cut) < free_from) continue;
      text += step_tick(layout, panel, cut);
      free_from = layout.x(cut) + wide;
    }
    return text;
  }
  const std::uint64_t span = steps.upper - steps.lower;
  const auto most = static_cast<std::uint64_t>(panel.plot.width / wide);
  std::uint64_t tick = 1;
  while (span / tick > most) tick = next_tick(tick);
  for (std::uint64_t past = (tick - steps.lower % tick) % tick; past <= span; past += tick) {
    text += step_tick(layout, panel, steps.lower + past);
  }
  return text;
}

std::string axis_caption(const MapLayout& layout, const MapPanel& panel) {
  std::string caption = "step";
  if (layout.axis.merged()) {
    caption = "step (not to scale: steps at which nothing starts or ends are merged)";
  }
  return text_at("dim mid", panel.plot.x + panel.plot.width / 2,
                 panel.chart.y + panel.chart.height + 32 * kPixel, caption);
}

std::string line_label(const MapPanel& panel, Length y, std::string_view classes,
                       const std::string& what, std::uint64_t bytes) {
  const Length x = panel.plot.x + panel.plot.width + 8 * kPixel;
  return text_at(classes, x, y, what) + text_at("dim", x, y + 13 * kPixel, short_size(bytes));
}

// The arena's end, and below it the max load: the difference is the gap.
std::string bound_lines(const PlannedArena& arena, const MapPanel& panel) {
  const ArenaFigures& figures = arena.figures;
  const Length left = panel.plot.x;
  const Length right = left + panel.plot.width;
  const Length top = panel.y(figures.peak.count());
  const Length load = panel.y(figures.max_load.count());
  std::string text = line("top", left, top, right, top);
  text += line("max", left, load, right, load);
  if (figures.max_load == figures.peak) {
    return text + line_label(panel, top + 4 * kPixel, "", "arena = max load", figures.peak.count());
  }
  text += line_label(panel, top + 4 * kPixel, "", "arena", figures.peak.count());
  const Length below = std::max(load + 4 * kPixel, top + 34 * kPixel);
  return text + line_label(panel, below, "pk", "max load", figures.max_load.count());
}

std::string capacity_line(const PlannedArena& arena, const MapPanel& panel) {
  const auto bytes = arena.memory().usable();
  if (!bytes || *bytes > Bytes(panel.top)) return "";
  const Bytes usable = *bytes;
  const Length y = panel.y(usable.count());
  return line("cap", panel.plot.x, y, panel.plot.x + panel.plot.width, y) +
         text_at("no", panel.plot.x + 6 * kPixel, y - 4 * kPixel,
                 "usable: " + std::to_string(usable.count()) + " B");
}

std::string peak_band(const Plan& plan, const MapLayout& layout, const MapPanel& panel) {
  const Step step = plan.arenas[panel.arena].figures.peak_step;
  const LiveRange column = layout.axis.column(step);
  if (column.empty()) return "";
  const Length left = layout.x(column.lower);
  const Length width = std::max(layout.x(column.upper) - left, 2 * kPixel);
  const Length bottom = panel.chart.y + panel.chart.height;
  const Length middle = left + width / 2;
  const Length third = panel.plot.width / 3;
  const char* anchor = middle < panel.plot.x + third                      ? "pk"
                       : middle < panel.plot.x + panel.plot.width - third ? "pk mid"
                                                                          : "pk end";
  const Length at = middle < panel.plot.x + third                      ? left
                    : middle < panel.plot.x + panel.plot.width - third ? middle
                                                                       : left + width;
  const std::string name = shortened(step_text(plan.step_names, step), 48);
  return rect("band", {left, panel.plot.y, width, bottom - panel.plot.y}) +
         text_at(anchor, at, panel.plot.y - 6 * kPixel, "max load at " + name);
}

std::string panel_heading(const Plan& plan, const MapPanel& panel) {
  const PlannedArena& arena = plan.arenas[panel.arena];
  const ArenaFigures& figures = arena.figures;
  std::string name = shortened(arena.device, 40);
  if (!arena.tier.empty()) name += " " + shortened(arena.tier, 40);
  std::string numbers =
      fmt::format("arena {}, max load {}", to_string(figures.peak), to_string(figures.max_load));
  if (figures.lower_bound < figures.peak) {
    const Bytes gap = figures.peak - figures.lower_bound;
    numbers += fmt::format(", gap {}", to_string(gap));
    if (figures.lower_bound > Bytes(0)) numbers += ", " + per_cent(gap, figures.lower_bound);
  } else if (figures.proved_least()) {
    numbers += ", proved least";
  }
  if (const auto usable = arena.memory().usable()) numbers += ", usable " + to_string(*usable);
  return fmt::format(
             "<text x=\"{}\" y=\"{}\"><tspan class=\"h2\">{}</tspan>"
             "<tspan class=\"dim\" dx=\"10\">{}</tspan></text>",
             px(panel.plot.x), px(panel.plot.y - 26 * kPixel), xml_text(name), xml_text(numbers)) +
         "\n";
}

std::string chart(const PlannedArena& arena, const MapLayout& layout, const MapPanel& panel) {
  const Length left = panel.chart.x;
  const Length right = left + panel.chart.width;
  const Length top = panel.chart_y(arena.figures.peak);
  const Length load = panel.chart_y(arena.figures.max_load);
  return load_path(layout, panel) + line("top", left, top, right, top) +
         line("max", left, load, right, load) +
         text_at("dim end", left - 8 * kPixel, panel.chart.y + panel.chart.height, "0") +
         text_at("dim end", left - 8 * kPixel, top + 4 * kPixel, "arena") +
         text_at("dim", right + 8 * kPixel, panel.chart.y + panel.chart.height / 2, "load");
}

std::string panel_element(const Plan& plan, const MapLayout& layout, const MapPanel& panel,
                          TileNotes notes, std::size_t limit) {
  const PlannedArena& arena = plan.arenas[panel.arena];
  std::string text = panel_heading(plan, panel);
  text += rect("plot", panel.plot) + rect("plot", panel.chart);
  text += address_ticks(panel) + step_ticks(layout, panel) + axis_caption(layout, panel);
  text += peak_band(plan, layout, panel);
  text += crumbs_path(panel.crumbs);
  for (const MapTile& tile : panel.tiles) text += tile_rect(plan, tile, notes, limit);
  for (const Box& box : panel.takeovers) text += rect("take", box);
  for (const MapTile& tile : panel.tiles) text += tile_label(plan, tile);
  for (const Box& box : panel.meetings) text += rect("meet", box);
  text += bound_lines(arena, panel) + capacity_line(arena, panel);
  return text + chart(arena, layout, panel);
}

std::string subtitle(const Plan& plan) {
  std::string text = fmt::format("{} buffer{} in {} arena{}", plan.buffers.size(),
                                 plan.buffers.size() == 1 ? "" : "s", plan.arenas.size(),
                                 plan.arenas.size() == 1 ? "" : "s");
  if (!plan.packer.empty()) text += ", placed by " + shortened(plan.packer, 40);
  if (plan.cut) text += "; the search was stopped";
  if (!plan.ordering.empty()) text += "; order: " + shortened(plan.ordering, 80);
  return text;
}

// What the marks mean, of those that appear.
std::string foot_text(const Plan& plan, const MapLayout& layout) {
  bool views = false;
  bool takeovers = false;
  bool kept = false;
  bool meetings = false;
  std::size_t merged = 0;
  for (const MapPanel& panel : layout.panels) {
    merged += panel.merged.size();
    takeovers |= !panel.takeovers.empty();
    meetings |= !panel.meetings.empty();
    for (const MapTile& tile : panel.tiles) {
      views |= tile.view;
      kept |= !tile.tile.whole;
    }
  }
  std::string text = "A rectangle is a buffer: as wide as its life, as tall as its bytes.";
  if (views) text += " Dashed outline: a view of the bytes below it.";
  if (takeovers) text += " Hatched: the step in which one takes over another's bytes.";
  if (kept) text += " Pale: what is kept in a gap.";
  if (meetings) text += " Red: bytes of two buffers at once.";
  if (merged > 0) text += fmt::format(" Grey: the {} smallest rectangles, merged.", merged);
  if (layout.arenas_left_out > 0) text += fmt::format(" {} more arenas.", layout.arenas_left_out);
  if (plan.arenas.empty()) text = "Nothing is planned.";
  return text;
}

constexpr std::string_view kHatch =
    "<defs><pattern id=\"berth-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"1.6\" height=\"5\" fill=\"#10141a\" "
    "fill-opacity=\".55\"/></pattern></defs>\n";

}  // namespace

std::string map_svg_element(const Plan& plan, const MapLayout& layout, TileNotes notes) {
  std::size_t tiles = 0;
  for (const MapPanel& panel : layout.panels) tiles += panel.tiles.size();
  const std::string name = plan.source.file.empty() ? "plan" : shortened(plan.source.file, 90);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"berth\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"memory map of {2}\">\n",
      px(layout.width), px(layout.height), xml_text(name));
  text += fmt::format("<style>{}</style>\n", kMapStyle);
  text += kHatch;
  text += rect("page", {0, 0, layout.width, layout.height});
  text += text_at("h1", 24 * kPixel, 32 * kPixel, name);
  text += text_at("dim", 24 * kPixel, 52 * kPixel, subtitle(plan));
  if (!layout.sound) {
    text += text_at("no end", layout.width - 24 * kPixel, 32 * kPixel, "This plan is not sound.");
  }
  for (const MapPanel& panel : layout.panels) {
    text += panel_element(plan, layout, panel, notes, name_limit(tiles));
  }
  text += text_at("dim", 24 * kPixel, layout.height - 12 * kPixel, foot_text(plan, layout));
  return text + "</svg>\n";
}

std::string plan_map_svg(const Plan& plan) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         map_svg_element(plan, layout_map(plan), TileNotes::Titles);
}

}  // namespace berth
