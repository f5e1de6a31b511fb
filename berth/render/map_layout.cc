#include "berth/render/map_layout.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "berth/certify/placement.h"

namespace berth {
namespace {

constexpr Length kPixel = 100;
constexpr Length kWidth = 1200 * kPixel;
constexpr Length kLeft = 84 * kPixel;    // addresses
constexpr Length kRight = 132 * kPixel;  // what the lines are
constexpr Length kTitle = 64 * kPixel;
constexpr Length kHeading = 54 * kPixel;   // above a panel: its name, and the peak's
constexpr Length kHeadroom = 10 * kPixel;  // between the top of the arena and the plot's edge
constexpr Length kGap = 20 * kPixel;       // between map and chart
constexpr Length kChart = 84 * kPixel;
constexpr Length kAxis = 46 * kPixel;
constexpr Length kFoot = 30 * kPixel;
constexpr Length kLeast = kPixel / 2;  // so that a sliver can still be seen
constexpr Length kCrumb = 3 * kPixel;

constexpr std::size_t kMostTiles = 20000;
constexpr std::size_t kMostPanels = 64;

Length plot_height(std::size_t panels) {
  if (panels == 1) return 460 * kPixel;
  return (panels <= 4 ? 320 : 200) * kPixel;
}

Box box_of(const MapLayout& layout, const MapPanel& panel, const LiveRange& steps,
           const ByteRange& bytes) {
  const Length left = layout.x(steps.lower);
  const Length upper = panel.y(bytes.upper);
  return {left, upper, std::max(layout.x(steps.upper) - left, kLeast),
          std::max(panel.y(bytes.lower) - upper, kLeast)};
}

MapPanel panel_at(std::size_t arena, Length y, std::size_t panels, const Plan& plan,
                  const Occupancy& occupancy) {
  const ArenaFigures& figures = plan.arenas[arena].figures;
  MapPanel panel;
  panel.arena = arena;
  const Length width = kWidth - kLeft - kRight;
  panel.plot = {kLeft, y + kHeading, width, plot_height(panels)};
  panel.chart = {kLeft, panel.plot.y + panel.plot.height + kGap, width, kChart};
  panel.top = std::max({figures.peak, figures.max_load, occupancy.top, Bytes(1)}).count();
  // The line of what the device has shows, unless the arena would have to shrink for it.
  const Bytes usable = plan.arenas[arena].memory().usable().value_or(Bytes(0));
  if (usable <= Bytes(panel.top / 2) || usable - Bytes(panel.top / 2) <= Bytes(panel.top)) {
    panel.top = std::max(panel.top, usable.count());
  }
  panel.load = occupancy.load;
  return panel;
}

// The larger first; the earlier of two alike.
std::vector<const MapTile*> by_area(const std::vector<MapTile>& tiles) {
  std::vector<const MapTile*> order;
  order.reserve(tiles.size());
  for (const MapTile& tile : tiles) order.push_back(&tile);
  std::sort(order.begin(), order.end(), [](const MapTile* a, const MapTile* b) {
    const Length area_a = a->box.width * a->box.height;
    const Length area_b = b->box.width * b->box.height;
    return std::tuple(-area_a, a) < std::tuple(-area_b, b);
  });
  return order;
}

// A coarse grid over a plot; what is set comes out as rectangles one cell high.
class CrumbGrid {
 public:
  explicit CrumbGrid(const Box& plot)
      : plot_(plot),
        columns_(static_cast<std::size_t>((plot.width + kCrumb - 1) / kCrumb)),
        rows_(static_cast<std::size_t>((plot.height + kCrumb - 1) / kCrumb)),
        set_(columns_ * rows_) {}

  void add(const Box& box) {
    const auto cell = [](Length at) {
      return static_cast<std::size_t>(std::max<Length>(at, 0) / kCrumb);
    };
    const std::size_t right = std::min(cell(box.x + box.width - 1 - plot_.x), columns_ - 1);
    const std::size_t bottom = std::min(cell(box.y + box.height - 1 - plot_.y), rows_ - 1);
    for (std::size_t row = cell(box.y - plot_.y); row <= bottom; ++row) {
      for (std::size_t column = cell(box.x - plot_.x); column <= right; ++column) {
        set_[row * columns_ + column] = true;
      }
    }
  }

  std::vector<Box> boxes() const {
    std::vector<Box> boxes;
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t column = 0; column < columns_;) {
        const std::size_t from = column;
        while (column < columns_ && set_[row * columns_ + column]) ++column;
        if (from < column) boxes.push_back(run(row, from, column));
        if (from == column) ++column;
      }
    }
    return boxes;
  }

 private:
  Box run(std::size_t row, std::size_t from, std::size_t to) const {
    const Length x = plot_.x + static_cast<Length>(from) * kCrumb;
    const Length y = plot_.y + static_cast<Length>(row) * kCrumb;
    const Length width = static_cast<Length>(to - from) * kCrumb;
    return {x, y, std::min(width, plot_.x + plot_.width - x),
            std::min(kCrumb, plot_.y + plot_.height - y)};
  }

  Box plot_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<bool> set_;
};

// Views last, so that they lie on what they view; then by time.
void put_in_drawing_order(std::vector<MapTile>& tiles) {
  std::sort(tiles.begin(), tiles.end(), [](const MapTile& a, const MapTile& b) {
    const auto key = [](const MapTile& t) {
      return std::tuple(t.view, t.tile.steps.lower, t.tile.buffer);
    };
    return key(a) < key(b);
  });
}

void put_tiles(const Plan& plan, const Occupancy& occupancy, std::size_t room,
               const MapLayout& layout, MapPanel& panel) {
  std::vector<MapTile> tiles;
  tiles.reserve(occupancy.tiles.size());
  for (const Tile& tile : occupancy.tiles) {
    const bool view = plan.buffers[tile.buffer].view_of.has_value();
    const Box box = box_of(layout, panel, tile.steps, tile.bytes);
    tiles.push_back({tile, view, box, box});
  }
  if (tiles.size() <= room) {
    panel.tiles = std::move(tiles);
  } else {
    CrumbGrid grid(panel.plot);
    const auto order = by_area(tiles);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i < room) {
        panel.tiles.push_back(*order[i]);
      } else {
        grid.add(order[i]->box);
        panel.merged.push_back(*order[i]);
      }
    }
    panel.crumbs = grid.boxes();
  }
  put_in_drawing_order(panel.tiles);
}

void keep_labels_off(const Box& takeover, MapTile& donor, MapTile& taker) {
  donor.label.width = std::max<Length>(takeover.x - donor.label.x, 0);
  const Length right = taker.label.x + taker.label.width;
  taker.label.x = std::min(takeover.x + takeover.width, right);
  taker.label.width = right - taker.label.x;
}

// By buffer, its last tile; takers' first tiles are found on the way.
void put_takeovers(const Plan& plan, const MapLayout& layout, MapPanel& panel) {
  std::map<std::size_t, MapTile*> last_tile;
  for (MapTile& drawn : panel.tiles) {
    MapTile*& last = last_tile[drawn.tile.buffer];
    if (!last || last->tile.steps.lower < drawn.tile.steps.lower) last = &drawn;
  }
  for (MapTile& drawn : panel.tiles) {
    const PlannedBuffer& taker = plan.buffers[drawn.tile.buffer];
    if (!taker.reuses || drawn.tile.steps.lower != taker.life.lower) continue;
    const LiveRange column = layout.axis.column(taker.life.lower);
    const Box takeover = box_of(layout, panel, column, drawn.tile.bytes);
    const auto donor = last_tile.find(*taker.reuses);
    if (donor != last_tile.end()) keep_labels_off(takeover, *donor->second, drawn);
    panel.takeovers.push_back(takeover);
  }
}

void put_verdict(const Plan& plan, MapLayout& layout) {
  const PlacementVerdict verdict = check_placement(plan);
  layout.sound = verdict.sound();
  for (const PlacementFault& fault : verdict.faults()) {
    const auto* shared = std::get_if<SharedBytes>(&fault);
    if (!shared) continue;
    const PlannedBuffer& first = plan.buffers[shared->first];
    const PlannedBuffer& second = plan.buffers[shared->second];
    if (first.arena >= layout.panels.size()) continue;
    MapPanel& panel = layout.panels[first.arena];
    const LiveRange steps = {shared->step, std::min(first.life.upper, second.life.upper)};
    panel.meetings.push_back(box_of(layout, panel, steps, shared->bytes));
  }
}

}  // namespace

Length MapPanel::y(std::uint64_t byte) const {
  const Length bottom = plot.y + plot.height;
  return bottom - scaled(std::min(byte, top), top, plot.height - kHeadroom);
}

Length MapPanel::chart_y(Bytes bytes) const {
  const Length bottom = chart.y + chart.height;
  return bottom - scaled(std::min(bytes.count(), top), top, chart.height);
}

Length MapLayout::x(Step step) const {
  return kLeft + axis.position(step, kWidth - kLeft - kRight);
}

MapLayout layout_map(const Plan& plan) {
  const std::vector<Occupancy> occupancy = occupancy_of(plan);
  const std::size_t panels = std::min(plan.arenas.size(), kMostPanels);
  MapLayout layout = {TimeAxis(occupancy), kWidth, kTitle, {}};
  layout.arenas_left_out = plan.arenas.size() - panels;
  std::size_t tiles = 0;
  for (std::size_t i = 0; i < panels; ++i) tiles += occupancy[i].tiles.size();
  for (std::size_t i = 0; i < panels; ++i) {
    MapPanel panel = panel_at(i, layout.height, panels, plan, occupancy[i]);
    // Where there are too many, each panel draws its share of them.
    const std::size_t own = occupancy[i].tiles.size();
    const std::size_t room = tiles <= kMostTiles ? own : kMostTiles * own / tiles;
    put_tiles(plan, occupancy[i], room, layout, panel);
    put_takeovers(plan, layout, panel);
    layout.height = panel.chart.y + panel.chart.height + kAxis;
    layout.panels.push_back(std::move(panel));
  }
  put_verdict(plan, layout);
  layout.height += kFoot;
  return layout;
}

}  // namespace berth
