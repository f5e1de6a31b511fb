#include "berth/render/map_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "berth/render/map_layout.h"
#include "berth/render/map_page.h"
#include "berth/render/map_svg.h"
#include "berth/render/svg.h"
#include "berth/render/text.h"

namespace berth {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",\n") + item;
  return "[" + text + "]";
}

// The steps at which something that is drawn starts or ends, with their places and names.
std::string cuts_json(const Plan& plan, const MapLayout& layout) {
  std::vector<Step> cuts;
  for (const MapPanel& panel : layout.panels) {
    for (const MapTile& drawn : panel.tiles) {
      cuts.push_back(drawn.tile.steps.lower);
      cuts.push_back(drawn.tile.steps.upper);
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

std::string panels_json(const Plan& plan, const MapLayout& layout) {
  std::vector<std::string> items;
  for (const MapPanel& panel : layout.panels) {
    const PlannedArena& arena = plan.arenas[panel.arena];
    std::string name = shortened(arena.device, 40);
    if (!arena.tier.empty()) name += " " + shortened(arena.tier, 40);
    items.push_back(fmt::format("[{},{},{}]", px(panel.plot.y),
                                px(panel.chart.y + panel.chart.height), json_text(name)));
  }
  return joined(items);
}

std::string note_of(const Plan& plan, const PlannedBuffer& buffer, std::size_t limit) {
  const auto name_of = [&](std::size_t index) {
    return index < plan.buffers.size() ? shortened(plan.buffers[index].name, limit) : "?";
  };
  if (buffer.view_of) return "a view of " + name_of(*buffer.view_of);
  if (buffer.reuses) return "takes over the bytes of " + name_of(*buffer.reuses);
  if (!buffer.gaps.empty()) return fmt::format("{} gaps in its life", buffer.gaps.size());
  return "";
}

std::string buffer_json(const Plan& plan, const MapLayout& layout, std::size_t panel,
                        const std::vector<const MapTile*>& tiles, std::size_t limit) {
  const std::size_t index = tiles.front()->tile.buffer;
  const PlannedBuffer& buffer = plan.buffers[index];
  std::string stretches;
  for (const MapTile* drawn : tiles) {
    stretches +=
        fmt::format("{}[{},{}]", stretches.empty() ? "" : ",",
                    px(layout.x(drawn->tile.steps.lower)), px(layout.x(drawn->tile.steps.upper)));
  }
  return fmt::format("[{},{},{},\"{}\",\"[{}, {})\",\"{}\",{},[{}],\"{}\"]", index, panel,
                     json_text(shortened(buffer.name, limit)), to_string(buffer.bytes),
                     buffer.life.lower, buffer.life.upper, buffer.offset.value(),
                     json_text(note_of(plan, buffer, limit)), stretches, buffer.bytes.count());
}

std::string buffers_json(const Plan& plan, const MapLayout& layout) {
  std::size_t tiles = 0;
  for (const MapPanel& panel : layout.panels) tiles += panel.tiles.size();
  std::vector<std::string> items;
  for (std::size_t i = 0; i < layout.panels.size(); ++i) {
    std::map<std::size_t, std::vector<const MapTile*>> by_buffer;
    for (const MapTile& drawn : layout.panels[i].tiles) {
      by_buffer[drawn.tile.buffer].push_back(&drawn);
    }
    for (const auto& [index, drawn] : by_buffer) {
      items.push_back(buffer_json(plan, layout, i, drawn, name_limit(tiles)));
    }
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
  page += fmt::format("<script>\nconst data={{cuts:{},\npanels:{},\nbuffers:{}}};{}</script>\n",
                      cuts_json(plan, layout), panels_json(plan, layout),
                      buffers_json(plan, layout), kPageScript);
  return page + "</body></html>\n";
}

}  // namespace berth
