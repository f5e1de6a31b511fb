#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/ir/plan.h"
#include "berth/render/occupancy.h"
#include "berth/render/time_axis.h"

namespace berth {

// Where everything stands on the map: steps from left to right, addresses from bottom to top, one
// panel an arena, below each the load over the same steps. Lengths from the top left.

struct Box {
  Length x = 0;
  Length y = 0;
  Length width = 0;
  Length height = 0;

  friend bool operator==(const Box&, const Box&) = default;
};

struct MapTile {
  Tile tile;
  bool view = false;
  Box box;
  Box label;  // the part of it that a name may stand in
};

struct MapPanel {
  std::size_t arena = 0;
  Box plot;                     // the map, a little headroom included
  Box chart;                    // the load
  std::uint64_t top = 0;        // the byte at the upper edge, headroom apart
  std::vector<MapTile> tiles;   // drawn one by one, views last
  std::vector<Box> crumbs;      // where tiles too small and too many are: merged rectangles
  std::vector<MapTile> merged;  // those that are in them
  std::vector<Box> takeovers;   // the step in which one buffer takes over another's bytes
  std::vector<Box> meetings;    // where buffers share bytes that they must not: some of them
  std::vector<LoadStep> load;

  // Where byte `byte` is, and where a load of `bytes` stands in the chart.
  Length y(std::uint64_t byte) const;
  Length chart_y(Bytes bytes) const;
};

struct MapLayout {
  TimeAxis axis;
  Length width = 0;
  Length height = 0;
  std::vector<MapPanel> panels;
  std::size_t arenas_left_out = 0;
  bool sound = true;  // what check_placement says of the plan

  // Where step `step` begins.
  Length x(Step step) const;
};

// Lays out any plan, a sound one or not. Of more than 20,000 rectangles the largest are drawn and
// the others merged; of more than 64 arenas the first are drawn.
MapLayout layout_map(const Plan& plan);

}  // namespace berth
