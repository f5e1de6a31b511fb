#include "berth/render/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "berth/base/text.h"
#include "berth/render/figures.h"
#include "berth/render/kept_text.h"
#include "berth/render/occupancy.h"
#include "berth/render/target_report.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kShown = 5;  // of the buffers live at the peak step

class Paint {
 public:
  explicit Paint(Colour colour) : on_(colour == Colour::On) {}
  std::string heading(const std::string& text) const { return wrapped("1", text); }
  std::string good(const std::string& text) const { return wrapped("32", text); }
  std::string aside(const std::string& text) const { return wrapped("2", text); }

 private:
  std::string wrapped(std::string_view code, const std::string& text) const {
    return on_ ? fmt::format("\x1B[{}m{}\x1B[0m", code, text) : text;
  }
  bool on_ = false;
};

std::string arena_name(const PlannedArena& arena) {
  std::string name = "arena";
  if (!arena.device.empty()) name += " " + shortened(arena.device, kNameWidth);
  // A device of a target bears its tier in its name.
  const bool is_said = arena.device.ends_with("." + arena.tier);
  if (!arena.tier.empty() && !is_said) name += " " + shortened(arena.tier, kNameWidth);
  return name;
}

std::string step_name(const Plan& plan, Step step) {
  return shortened(step_text(plan.step_names, step), kNameWidth + 8);
}

std::optional<Bytes> planned_bytes(const Plan& plan, std::size_t arena) {
  std::optional<Bytes> sum = Bytes(0);
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.arena != arena || buffer.view_of) continue;
    if (sum) sum = checked_add(*sum, buffer.bytes);
  }
  return sum;
}

FigureRow planned_row(const Plan& plan, std::size_t arena, const Occupancy& occupancy) {
  std::size_t views = 0;
  std::size_t count = 0;
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.arena != arena) continue;
    ++(buffer.view_of ? views : count);
  }
  std::string note = fmt::format("in {} buffer{}", count, count == 1 ? "" : "s");
  if (views > 0) note += fmt::format(", and {} view{} of them", views, views == 1 ? "" : "s");
  const std::size_t empty = count + views - occupancy.buffers;
  if (empty > 0) note += fmt::format(" ({} without bytes)", empty);
  return {"planned bytes", planned_bytes(plan, arena), note};
}

void add_padding_row(const ArenaFigures& figures, std::vector<FigureRow>& rows) {
  if (figures.max_load == figures.max_load_unpadded) return;
  std::string note = "of sizes as given";
  if (figures.max_load_unpadded > Bytes(0)) {
    const double factor = static_cast<double>(figures.max_load.count()) /
                          static_cast<double>(figures.max_load_unpadded.count());
    note += fmt::format("; padding makes it {:.2f} times that", factor);
  }
  rows.push_back({"  unpadded", figures.max_load_unpadded, note});
}

// What stopped the search; empty: nothing did.
FigureRow gap_row(const ArenaFigures& figures, std::string_view cut_by, const Paint& paint) {
  if (figures.lower_bound > figures.peak) {
    return {"lower bound", figures.lower_bound, "more than the arena: one of them is wrong"};
  }
  const Bytes gap = figures.peak - figures.lower_bound;
  if (figures.proved_least()) return {"gap", gap, paint.good("proved least")};
  std::string note = "over the lower bound of " + std::to_string(figures.lower_bound.count());
  if (figures.lower_bound > Bytes(0)) note = per_cent(gap, figures.lower_bound) + " " + note;
  note += cut_by.empty() ? "; not proved least" : fmt::format("; {} stopped the search", cut_by);
  return {"gap", gap, note};
}

// The verdict's own line says what it does not count.
void add_capacity_rows(const Plan& plan, const PlannedArena& arena, std::vector<FigureRow>& rows) {
  if (!arena.capacity) return;
  rows.push_back({"capacity", *arena.capacity, ""});
  const Bytes usable = *arena.memory().usable();
  if (arena.reserve > Bytes(0)) {
    rows.push_back({"  reserved", arena.reserve, "nobody may use it"});
  }
  if (arena.beside > Bytes(0)) {
    rows.push_back({"  beside", arena.beside, beside_text(plan, arena)});
  }
  if (arena.reserve > Bytes(0) || arena.beside > Bytes(0)) {
    rows.push_back({"  usable", usable, ""});
  }
  const Bytes peak = arena.figures.peak;
  if (peak > usable || arena.memory().is_overfull()) {
    const auto taken = arena.memory().taken();
    const auto need = taken ? checked_add(*taken, peak) : std::nullopt;
    rows.push_back({"  short by", need ? std::optional(*need - *arena.capacity) : std::nullopt,
                    "it does not fit"});
  } else {
    rows.push_back({"  free left", usable - peak, "it fits" + not_counted_text(plan)});
  }
}

struct LiveColumns {
  std::size_t name = 4;
  std::size_t bytes = 5;
  std::size_t life = 4;
};

std::string life_text(const LiveRange& life) {
  return fmt::format("[{}, {})", life.lower, life.upper);
}

std::string live_rows(const Plan& plan, const std::vector<Tile>& shown) {
  LiveColumns wide;
  for (const Tile& tile : shown) {
    const PlannedBuffer& buffer = plan.buffers[tile.buffer];
    wide.name = std::max(wide.name, width_of(shortened(buffer.name, kNameWidth)));
    wide.bytes = std::max(wide.bytes, std::to_string(buffer.bytes.count()).size());
    wide.life = std::max(wide.life, life_text(buffer.life).size());
  }
  std::string rows =
      fmt::format("    {}  {:>{}}  {:<{}}  offset\n", left_aligned("name", wide.name), "bytes",
                  wide.bytes, "life", wide.life);
  for (const Tile& tile : shown) {
    const PlannedBuffer& buffer = plan.buffers[tile.buffer];
    std::string note;
    if (!tile.whole) note = fmt::format("  keeps {} bytes here", tile.load_unpadded.count());
    rows += fmt::format("    {}  {:>{}}  {:<{}}  {}{}\n",
                        left_aligned(shortened(buffer.name, kNameWidth), wide.name),
                        buffer.bytes.count(), wide.bytes, life_text(buffer.life), wide.life,
                        buffer.offset.value(), note);
  }
  return rows;
}

std::string live_section(const Plan& plan, const ArenaFigures& figures,
                         const Occupancy& occupancy) {
  std::vector<Tile> live = live_at(plan, occupancy, figures.peak_step);
  if (live.empty()) return "";
  const std::string step = step_name(plan, figures.peak_step);
  std::string title = fmt::format("  live at {}:\n", step);
  if (live.size() > kShown) {
    title = fmt::format("  live at {}, the {} largest of {}:\n", step, kShown, live.size());
    live.resize(kShown);
  }
  return title + live_rows(plan, live);
}

std::string arena_section(const Plan& plan, std::size_t index, const Occupancy& occupancy,
                          const TableNotes& notes, const Paint& paint) {
  const PlannedArena& arena = plan.arenas[index];
  const ArenaFigures& figures = arena.figures;
  std::string text = paint.heading(arena_name(arena)) + "\n";
  std::vector<FigureRow> rows = {
      planned_row(plan, index, occupancy),
      {"arena", figures.peak, ""},
      {"max load", figures.max_load, "at " + step_name(plan, figures.peak_step)}};
  add_padding_row(figures, rows);
  rows.push_back(gap_row(figures, plan.cut ? notes.cut_by : "", paint));
  add_capacity_rows(plan, arena, rows);
  text += aligned(rows);
  if (index < notes.by_kind.size()) text += "  max load by kind: " + notes.by_kind[index] + "\n";
  return text + live_section(plan, figures, occupancy) + "\n";
}

std::string kept_section(const Plan& plan, const Paint& paint) {
  if (plan.kept.empty()) return "";
  struct Kept {
    std::size_t count = 0;
    std::optional<Bytes> bytes = Bytes(0);
  };
  std::map<KeptWhy, Kept> by_reason;
  for (const KeptTensor& tensor : plan.kept) {
    Kept& kept = by_reason[tensor.why];
    ++kept.count;
    if (kept.bytes) kept.bytes = checked_add(*kept.bytes, tensor.bytes);
  }
  std::vector<FigureRow> rows;
  for (const auto& [why, kept] : by_reason) {
    const std::string note = fmt::format("{} tensor{}", kept.count, kept.count == 1 ? "" : "s");
    rows.push_back({std::string(reason_text(why)), kept.bytes, note});
  }
  return paint.heading("kept apart, not planned") + "\n" + aligned(rows) + "\n";
}

std::string title(const Plan& plan, const Paint& paint) {
  std::string text = "plan";
  if (!plan.source.file.empty()) text += " of " + shortened(plan.source.file, 60);
  text = paint.heading(text);
  if (!plan.packer.empty()) {
    text += paint.aside(
        fmt::format("  packer {}, seed {}", shortened(plan.packer, kNameWidth), plan.seed));
  }
  return text + "\n\n";
}

std::string ordering_line(const Plan& plan) {
  if (plan.ordering.empty()) return "";
  return "The executor must keep this order: " + printable(plan.ordering) + "\n";
}

}  // namespace

std::string plan_table(const Plan& plan, Colour colour, const TableNotes& notes) {
  const Paint paint(colour);
  const std::vector<Occupancy> occupancy = occupancy_of(plan);
  std::string text = title(plan, paint);
  if (plan.target) text += target_table(*plan.target, colour);
  if (plan.arenas.empty()) text += "nothing is planned\n\n";
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    text += arena_section(plan, i, occupancy[i], notes, paint);
  }
  return text + kept_section(plan, paint) + ordering_line(plan);
}

}  // namespace berth
