#include "berth/render/map_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/render/map_tiles.h"
#include "berth/render/occupancy.h"
#include "berth/render/text.h"
#include "berth/render/time_axis.h"

namespace berth {
namespace {

constexpr std::size_t kGutter = 10;  // addresses
constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kLeastHeight = 4;
constexpr Length kCell = 64;  // parts of a cell, to find its middle
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

struct Cell {
  std::optional<std::size_t> buffer;
  std::string shown = " ";  // one character
};

// Cells [lower, upper) of a row or column whose middles lie in [from, to); the one at `from` where
// there is none.
struct Cells {
  std::size_t lower = 0;
  std::size_t upper = 0;
  bool sliver = false;
};

Cells cells_between(Length from, Length to, std::size_t count) {
  const auto first_middle_at = [&](Length at) {
    return static_cast<std::size_t>(std::max<Length>(at + kCell / 2 - 1, 0) / kCell);
  };
  const Cells cells = {first_middle_at(from), std::min(first_middle_at(to), count), false};
  if (cells.lower < cells.upper) return cells;
  const std::size_t at = std::min(static_cast<std::size_t>(from / kCell), count - 1);
  return {at, at + 1, true};
}

class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows) {}

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  // Row 0 is the lowest.
  Cell& at(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }
  const Cell& at(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }

 private:
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

// Where a tile's cells are.
struct Place {
  Cells across;
  Cells up;
  bool sliver() const { return across.sliver || up.sliver; }
};

Place place_of(const Tile& tile, const TimeAxis& axis, std::uint64_t top, const Canvas& canvas) {
  const auto wide = static_cast<Length>(canvas.columns()) * kCell;
  const auto high = static_cast<Length>(canvas.rows()) * kCell;
  return {cells_between(axis.position(tile.steps.lower, wide),
                        axis.position(tile.steps.upper, wide), canvas.columns()),
          cells_between(scaled(tile.bytes.lower, top, high), scaled(tile.bytes.upper, top, high),
                        canvas.rows())};
}

void put_tile(const Tile& tile, const Place& place, Canvas& canvas) {
  const std::string letter(1, kLetters[tile.buffer % kLetters.size()]);
  for (std::size_t row = place.up.lower; row < place.up.upper; ++row) {
    for (std::size_t column = place.across.lower; column < place.across.upper; ++column) {
      Cell& cell = canvas.at(column, row);
      if (!place.sliver() || !cell.buffer) cell = {tile.buffer, letter};
    }
  }
}

// The longest stretch of a row that shows `buffer`: what takes over its bytes may cover a part.
Cells longest_run(std::size_t buffer, const Cells& across, std::size_t row, const Canvas& canvas) {
  Cells longest;
  std::size_t from = across.lower;
  for (std::size_t column = across.lower; column < across.upper; ++column) {
    if (canvas.at(column, row).buffer != buffer) {
      from = column + 1;
    } else if (column + 1 - from > longest.upper - longest.lower) {
      longest = {from, column + 1, false};
    }
  }
  return longest;
}

// The name with a space on either side, in the middle row of the rectangle.
void put_name(const Plan& plan, const Tile& tile, const Place& place, Canvas& canvas) {
  if (place.sliver()) return;
  const std::size_t row = (place.up.lower + place.up.upper) / 2;
  const Cells run = longest_run(tile.buffer, place.across, row, canvas);
  const std::size_t room = run.upper - run.lower;
  if (room < 5) return;
  const std::string name = " " + shortened(plan.buffers[tile.buffer].name, room - 2) + " ";
  std::string_view rest = name;
  std::size_t column = run.lower + (room - width_of(name)) / 2;
  while (!rest.empty()) {
    std::size_t bytes = 1;
    while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xC0) == 0x80) ++bytes;
    canvas.at(column++, row).shown = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  }
}

// Slivers after the others, for they show where nothing else stands; names last.
Canvas canvas_of(const Plan& plan, const Occupancy& occupancy, const TimeAxis& axis,
                 std::uint64_t top, std::size_t columns, std::size_t rows) {
  Canvas canvas(columns, rows);
  struct Placed {
    const Tile* tile;
    Place place;
  };
  std::vector<Placed> placed;
  for (const Tile& tile : occupancy.tiles) {
    if (plan.buffers[tile.buffer].view_of) continue;
    placed.push_back({&tile, place_of(tile, axis, top, canvas)});
  }
  std::stable_partition(placed.begin(), placed.end(),
                        [](const Placed& it) { return !it.place.sliver(); });
  for (const auto& [tile, place] : placed) put_tile(*tile, place, canvas);
  for (const auto& [tile, place] : placed) put_name(plan, *tile, place, canvas);
  return canvas;
}

// Backgrounds of a 256-colour terminal that carry black text.
constexpr std::array<int, 8> kGrounds = {110, 209, 222, 79, 217, 117, 149, 146};

std::string row_text(const Canvas& canvas, std::size_t row, Colour colour) {
  std::string text;
  std::optional<std::size_t> ground;
  for (std::size_t column = 0; column < canvas.columns(); ++column) {
    const Cell& cell = canvas.at(column, row);
    if (colour == Colour::On && cell.buffer != ground) {
      text += cell.buffer
                  ? fmt::format("\x1B[30;48;5;{}m", kGrounds[*cell.buffer % kGrounds.size()])
                  : "\x1B[0m";
      ground = cell.buffer;
    }
    text += cell.shown;
  }
  return ground ? text + "\x1B[0m" : text;
}

std::string address_label(std::size_t row, std::size_t rows, std::uint64_t top) {
  if (row + 1 == rows) return short_size(top);
  return row == 0 ? "0 B" : "";
}

// The highest load in each column, in eighths of the arena.
std::string load_row(const Occupancy& occupancy, const TimeAxis& axis, std::uint64_t top,
                     std::size_t columns) {
  static constexpr std::array<std::string_view, 9> bars = {" ",
                                                           "\xE2\x96\x81",
                                                           "\xE2\x96\x82",
                                                           "\xE2\x96\x83",
                                                           "\xE2\x96\x84",
                                                           "\xE2\x96\x85",
                                                           "\xE2\x96\x86",
                                                           "\xE2\x96\x87",
                                                           "\xE2\x96\x88"};
  std::vector<std::uint64_t> highest(columns);
  const auto wide = static_cast<Length>(columns) * kCell;
  for (std::size_t i = 0; i + 1 < occupancy.load.size(); ++i) {
    const Cells cells = cells_between(axis.position(occupancy.load[i].step, wide),
                                      axis.position(occupancy.load[i + 1].step, wide), columns);
    for (std::size_t column = cells.lower; column < cells.upper; ++column) {
      highest[column] = std::max(highest[column], occupancy.load[i].load.count());
    }
  }
  std::string text;
  for (const std::uint64_t load : highest) {
    const Length eighths = scaled(std::min(load, top), top, 8);
    text += bars[static_cast<std::size_t>(load > 0 ? std::max<Length>(eighths, 1) : 0)];
  }
  return text;
}

std::string peak_row(const Plan& plan, const TimeAxis& axis, Step peak_step, std::size_t columns) {
  const LiveRange column = axis.column(peak_step);
  if (column.empty()) return "";
  const auto wide = static_cast<Length>(columns) * kCell;
  const std::size_t at =
      cells_between(axis.position(column.lower, wide), axis.position(column.upper, wide), columns)
          .lower;
  const std::string what =
      "max load at " + shortened(step_text(plan.step_names, peak_step), columns / 2);
  const std::size_t length = width_of(what) + 2;
  if (at + length <= columns) return std::string(at, ' ') + "^ " + what;
  return right_aligned(what, at > 0 ? at - 1 : 0) + " ^";
}

std::string steps_row(const TimeAxis& axis, std::size_t columns) {
  const LiveRange steps = axis.steps();
  const std::string from = fmt::format("step {}", steps.lower);
  const std::string to = std::to_string(steps.upper);
  const std::string middle = axis.merged() ? "(idle steps merged)" : "";
  const std::size_t used = from.size() + middle.size() + to.size();
  if (used + 2 > columns) return shortened(from + " .. " + to, columns);
  const std::size_t left = (columns - used) / 2;
  return from + std::string(left, ' ') + middle + std::string(columns - used - left, ' ') + to;
}

// What is free below the arena's end while most is live, the largest first: as many on a line as
// there is room for.
std::vector<std::string> holes_rows(const Plan& plan, const ArenaFigures& figures,
                                    const Occupancy& occupancy, std::size_t columns) {
  constexpr std::size_t kListed = 6;
  if (figures.peak == Bytes(0)) return {};
  std::vector<ByteRange> holes = holes_at(occupancy, figures.peak_step, figures.peak);
  const std::string step = step_text(plan.step_names, figures.peak_step);
  if (holes.empty()) return {shortened("no holes at " + step, columns)};
  const auto size_of = [](const ByteRange& hole) { return hole.upper - hole.lower; };
  std::uint64_t free = 0;
  for (const ByteRange& hole : holes) free += size_of(hole);
  std::ranges::stable_sort(holes, std::ranges::greater(), size_of);
  std::vector<std::string> rows = {
      shortened(fmt::format("{} B in {} hole{} at {}:", free, holes.size(),
                            holes.size() == 1 ? "" : "s", step),
                columns)};
  for (std::size_t i = 0; i < holes.size() && i <= kListed; ++i) {
    std::string item = i == kListed ? "and smaller ones"
                                    : fmt::format("[{}, {}) {}", holes[i].lower, holes[i].upper,
                                                  size_of(holes[i]));
    item = shortened(item, columns);
    const bool has_room = width_of(rows.back()) + 1 + width_of(item) <= columns;
    if (has_room) {
      rows.back() += " " + item;
    } else {
      rows.push_back(std::move(item));
    }
  }
  return rows;
}

std::string panel_text(const Plan& plan, std::size_t index, const Occupancy& occupancy,
                       const TimeAxis& axis, std::size_t columns, std::size_t rows, Colour colour) {
  const PlannedArena& arena = plan.arenas[index];
  const ArenaFigures& figures = arena.figures;
  const std::uint64_t top =
      std::max({figures.peak, figures.max_load, occupancy.top, Bytes(1)}).count();
  std::string text =
      fmt::format("{}{}{}: arena {}, max load {}{}\n", shortened(arena.device, 30),
                  arena.tier.empty() ? "" : " ",
                  arena.tier.empty() ? "" : shortened(arena.tier, 30), to_string(figures.peak),
                  to_string(figures.max_load), figures.proved_least() ? ", proved least" : "");
  const Canvas canvas = canvas_of(plan, occupancy, axis, top, columns, rows);
  const auto add_line = [&](const std::string& label, const std::string& line) {
    std::string whole = right_aligned(label, kGutter) + " |" + line;
    whole.erase(whole.find_last_not_of(' ') + 1);
    text += whole + "\n";
  };
  for (std::size_t row = rows; row-- > 0;) {
    add_line(address_label(row, rows, top), row_text(canvas, row, colour));
  }
  add_line("load", load_row(occupancy, axis, top, columns));
  add_line("", peak_row(plan, axis, figures.peak_step, columns));
  add_line("", steps_row(axis, columns));
  for (const std::string& row : holes_rows(plan, figures, occupancy, columns)) add_line("", row);
  return text;
}

}  // namespace

std::string plan_map_text(const Plan& plan, std::size_t width, std::size_t height, Colour colour) {
  const std::size_t columns = std::max(width, kLeastWidth) - kGutter - 2;
  const std::size_t rows = std::max(height, kLeastHeight);
  const std::vector<Occupancy> occupancy = occupancy_of(plan);
  const TimeAxis axis(occupancy);
  std::string text;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    if (i > 0) text += "\n";
    text += panel_text(plan, i, occupancy[i], axis, columns, rows, colour);
  }
  return text.empty() ? "nothing is planned\n" : text;
}

}  // namespace berth
