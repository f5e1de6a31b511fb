#include "berth/render/map_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "berth/render/map_layout.h"
#include "berth/render/map_page.h"
#include "berth/render/map_svg.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

std::string joined(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ",\n"));
}

// The steps at which something starts or ends, with their places and names.
std::string cuts_json(const Plan& plan, const MapLayout& layout) {
  std::vector<Step> cuts;
  for (const MapPanel& panel : layout.panels) {
    for (const std::vector<MapTile>* tiles : {&panel.tiles, &panel.merged}) {
      for (const MapTile& drawn : *tiles) {
        cuts.push_back(drawn.tile.steps.lower);
        cuts.push_back(drawn.tile.steps.upper);
      }
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<std::string> items;
  for (const Step cut : cuts) {
    const std::string name = cut < plan.step_names.size() ? plan.step_names[cut] : "";
    items.push_back(fmt::format("[{},\"{}\",{}]", px(layout.x(cut)), cut,
                                json_text(name.empty() ? name : shortened(name, 40))));
  }
  return joined(items);
}

std::string arena_name(const PlannedArena& arena) {
  std::string name = shortened(arena.device, 40);
  if (!arena.tier.empty()) name += " " + shortened(arena.tier, 40);
  return name;
}

// Those that are drawn come first, as in the plan.
std::string arenas_json(const Plan& plan) {
  std::vector<std::string> items;
  for (const PlannedArena& arena : plan.arenas) items.push_back(json_text(arena_name(arena)));
  return joined(items);
}

std::string panels_json(const Plan& plan, const MapLayout& layout) {
  std::vector<std::string> items;
  for (const MapPanel& panel : layout.panels) {
    const ArenaFigures& figures = plan.arenas[panel.arena].figures;
    items.push_back(fmt::format("[{},{},{},{},\"{}\",\"{}\",{}]", px(panel.plot.y),
                                px(panel.chart.y + panel.chart.height), px(panel.y(0)),
                                px(panel.y(0) - panel.y(panel.top)), panel.top,
                                figures.peak.count(), px(layout.x(figures.peak_step))));
  }
  return joined(items);
}

std::string note_of(const Plan& plan, const PlannedBuffer& buffer) {
  const auto name_of = [&](std::size_t index) {
    return index < plan.buffers.size() ? shortened(plan.buffers[index].name, 160) : "?";
  };
  if (buffer.view_of) return "a view of " + name_of(*buffer.view_of);
  if (buffer.reuses) return "takes over the bytes of " + name_of(*buffer.reuses);
  if (!buffer.gaps.empty()) return fmt::format("{} gaps in its life", buffer.gaps.size());
  return "";
}

// Where it starts and ends from left to right, and its bytes where it keeps only some of them.
std::string stretch_json(const MapLayout& layout, const MapTile& drawn) {
  const Tile& tile = drawn.tile;
  const std::string steps =
      fmt::format("{},{}", px(layout.x(tile.steps.lower)), px(layout.x(tile.steps.upper)));
  if (tile.whole) return "[" + steps + "]";
  return fmt::format("[{},\"{}\",\"{}\"]", steps, tile.bytes.lower, tile.bytes.upper);
}

std::string buffer_json(const Plan& plan, std::size_t index, const std::string& stretches) {
  const PlannedBuffer& buffer = plan.buffers[index];
  const auto arena = buffer.arena < plan.arenas.size() ? std::to_string(buffer.arena) : "-1";
  return fmt::format("[{},{},{},\"{}\",\"[{}, {})\",\"{}\",{},[{}],\"{}\"]", index, arena,
                     json_text(buffer.name), to_string(buffer.bytes), buffer.life.lower,
                     buffer.life.upper, buffer.offset.value(), json_text(note_of(plan, buffer)),
                     stretches, buffer.bytes.count());
}

// Every buffer, drawn or not, by its whole name: what is not here cannot be found.
std::string buffers_json(const Plan& plan, const MapLayout& layout) {
  std::vector<std::string> stretches(plan.buffers.size());
  for (const MapPanel& panel : layout.panels) {
    for (const std::vector<MapTile>* tiles : {&panel.tiles, &panel.merged}) {
      for (const MapTile& drawn : *tiles) {
        std::string& own = stretches[drawn.tile.buffer];
        own += (own.empty() ? "" : ",") + stretch_json(layout, drawn);
      }
    }
  }
  std::vector<std::string> items;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    items.push_back(buffer_json(plan, i, stretches[i]));
  }
  return joined(items);
}

}  // namespace

std::string plan_map_html(const Plan& plan) {
  const MapLayout layout = layout_map(plan);
  const std::string name = plan.source.file.empty() ? "plan" : shortened(plan.source.file, 90);
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n";
  page += fmt::format("<title>{} - memory map</title>\n", xml_text(name));
  page += fmt::format("<style>{}</style></head>\n<body><main><div id=\"map\">\n", kPageStyle);
  page += map_svg_element(plan, layout, TileNotes::Indices);
  page +=
      "</div><aside><input id=\"find\" type=\"search\" placeholder=\"Find a buffer by name\" "
      "aria-label=\"Find a buffer by name\"><div id=\"found\" aria-live=\"polite\"></div>"
      "<div id=\"pin\"></div><div id=\"live\"></div></aside></main><div id=\"tip\"></div>\n";
  page += fmt::format(
      "<script>\nconst data={{cuts:{},\narenas:{},\npanels:{},\nbuffers:{}}};{}</script>\n",
      cuts_json(plan, layout), arenas_json(plan), panels_json(plan, layout),
      buffers_json(plan, layout), kPageScript);
  return page + "</body></html>\n";
}

}  // namespace berth
