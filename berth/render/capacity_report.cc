#include "berth/render/capacity_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "berth/render/figures.h"
#include "berth/render/kept_text.h"
#include "berth/render/occupancy.h"
#include "berth/render/text.h"

// Three ways not to fit. What is reserved may be more than there is, whatever is planned. Or more
// bytes are live at one step than there are, and no placement helps; or they would fit, but in this
// placement the holes between them are too small:
//
//   usable 400     | a 300          | b 200 ->   500 live: memory is full
//   usable 400     | a 100 |  | b 200  | c 100 ->   400 live, 500 reached: memory is cut up

namespace berth {
namespace {

constexpr std::size_t kListed = 8;  // of the live buffers

struct Shortage {
  Step step = 0;
  Bytes need;  // of the usable bytes
  bool full = true;
};

Shortage shortage_of(const PlannedArena& arena, const Occupancy& occupancy, Bytes usable) {
  const ArenaFigures& figures = arena.figures;
  const bool is_overfull = arena.memory().is_overfull();
  if (figures.max_load > usable || figures.max_load == figures.peak || is_overfull) {
    return {figures.peak_step, figures.max_load, true};
  }
  Shortage shortage = {figures.peak_step, figures.peak, false};
  bool found = false;
  for (const Tile& tile : occupancy.tiles) {
    if (Bytes(tile.bytes.upper) <= usable) continue;
    if (found && shortage.step <= tile.steps.lower) continue;
    shortage.step = tile.steps.lower;
    found = true;
  }
  return shortage;
}

std::string item(const Plan& plan, const Tile& tile) {
  const std::string name = shortened(plan.buffers[tile.buffer].name, 32);
  if (tile.load == tile.load_unpadded) return fmt::format("{} {}", name, tile.load.count());
  return fmt::format("{} {} (padded to {})", name, tile.load_unpadded.count(), tile.load.count());
}

std::string live_list(const Plan& plan, const std::vector<Tile>& live) {
  std::string text;
  for (std::size_t i = 0; i < live.size() && i < kListed; ++i) {
    text += (i == 0 ? "" : " + ") + item(plan, live[i]);
  }
  if (live.size() > kListed) text += fmt::format(" + {} smaller ones", live.size() - kListed);
  return text;
}

std::string advice_when_full(const Plan& plan, const std::vector<Tile>& live, Bytes short_by) {
  // What stands at a place that the question gives is no one's to move.
  const auto may_go = std::ranges::find_if(
      live, [&](const Tile& tile) { return !plan.buffers[tile.buffer].fixed; });
  if (may_go == live.end()) return "";
  const Tile& largest = *may_go;
  const std::string first = fmt::format("spill or shrink {} first", item(plan, largest));
  if (largest.load >= short_by) return first + ": without it this step fits";
  return fmt::format("{}: {} more must follow it", first, (short_by - largest.load).count());
}

std::string advice_when_cut_up(const Plan& plan, const std::vector<Tile>& live, Bytes usable,
                               bool refuted) {
  for (const Tile& tile : live) {
    if (Bytes(tile.bytes.upper) <= usable) continue;
    return fmt::format(
        "{} found no hole and ends at {}: {}", item(plan, tile), tile.bytes.upper,
        refuted ? "no placement helps, shrink it" : "plan again with more effort, or shrink it");
  }
  return "";
}

struct Free {
  Bytes all;
  Bytes largest_hole;
};

Free free_at(const Occupancy& occupancy, Step step, Bytes usable) {
  Free free;
  for (const ByteRange& hole : holes_at(occupancy, step, usable)) {
    const Bytes bytes(hole.upper - hole.lower);
    free.all += bytes;
    free.largest_hole = std::max(free.largest_hole, bytes);
  }
  return free;
}

// What is reserved past all that there is.
Bytes over_reserved(const PlannedArena& arena) {
  return arena.reserve > *arena.capacity ? arena.reserve - *arena.capacity : Bytes(0);
}

std::vector<FigureRow> rows_of(const Plan& plan, const PlannedArena& arena, Bytes usable,
                               const Shortage& shortage, const Free& free,
                               const std::string& live) {
  const auto taken = arena.memory().taken();
  const bool fixed = !taken || *taken > Bytes(0);
  std::vector<FigureRow> rows = {{"capacity", *arena.capacity, ""}};
  if (arena.reserve > Bytes(0)) {
    const Bytes over = over_reserved(arena);
    rows.push_back({"fixed", arena.reserve,
                    over > Bytes(0)
                        ? fmt::format("reserved: by itself {} more than the capacity", over.count())
                        : "reserved: nobody may use it"});
  }
  if (arena.beside > Bytes(0)) rows.push_back({"beside", arena.beside, beside_text(plan, arena)});
  if (fixed) rows.push_back({"available", usable, ""});
  rows.push_back({shortage.full ? "live" : "arena", shortage.need, live});
  const auto need = taken ? checked_add(*taken, shortage.need) : std::nullopt;
  if (fixed) rows.push_back({"need", need, "with the fixed"});
  rows.push_back({"short by", need ? std::optional(*need - *arena.capacity) : std::nullopt, ""});
  rows.push_back({"free", free.all,
                  fmt::format("of the available, largest hole {}", free.largest_hole.count())});
  return rows;
}

std::string heading(const Plan& plan, const PlannedArena& arena, const Shortage& shortage) {
  std::string name = "arena";
  for (const std::string& part : {arena.device, arena.tier}) {
    if (!part.empty()) name += " " + shortened(part, 40);
  }
  const std::string step = shortened(step_text(plan.step_names, shortage.step), 48);
  if (over_reserved(arena) > Bytes(0)) {
    return fmt::format("{} does not fit: more is reserved than there is\n", name);
  }
  if (shortage.full) {
    return fmt::format("{} does not fit at {}: more is live than there is\n", name, step);
  }
  const bool refuted = arena.figures.lower_bound > *arena.memory().usable();
  return fmt::format("{} {} at {}: the load fits, this placement does not\n", name,
                     refuted ? "does not fit" : "is not known to fit", step);
}

}  // namespace

std::string capacity_report(const Plan& plan, std::size_t arena_index) {
  const PlannedArena& arena = plan.arenas[arena_index];
  if (!arena.capacity) return "";
  const Device memory = arena.memory();
  const Bytes usable = *memory.usable();
  if (arena.figures.peak <= usable && !memory.is_overfull()) return "";

  const Occupancy occupancy = occupancy_of(plan)[arena_index];
  const Shortage shortage = shortage_of(arena, occupancy, usable);
  const std::vector<Tile> live = live_at(plan, occupancy, shortage.step);
  const Free free = free_at(occupancy, shortage.step, usable);
  const auto taken = memory.taken();
  const auto need = taken ? checked_add(*taken, shortage.need) : std::nullopt;
  const Bytes short_by = need.value_or(Bytes(UINT64_MAX)) - *arena.capacity;
  const std::string what_to_do =
      over_reserved(arena) > Bytes(0) ? "reserve less, or give more"
      : shortage.full                 ? advice_when_full(plan, live, short_by)
                      : advice_when_cut_up(plan, live, usable, arena.figures.lower_bound > usable);
  return heading(plan, arena, shortage) +
         aligned(rows_of(plan, arena, usable, shortage, free, live_list(plan, live))) +
         (what_to_do.empty() ? "" : "  " + what_to_do + "\n");
}

}  // namespace berth
