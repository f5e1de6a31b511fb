#include "berth/render/target_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "berth/render/columns.h"
#include "berth/render/residency_table.h"
#include "berth/render/text.h"

namespace berth {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kShown = 20;  // of what left the SRAM

using Row = std::vector<std::string>;

std::string number(Bytes bytes) {
  return std::to_string(bytes.count());
}

std::string time_text(const std::optional<std::uint64_t>& nanoseconds) {
  if (!nanoseconds) return "";
  return fmt::format("{:.3f} ms a step", 1e-6 * static_cast<double>(*nanoseconds));
}

std::string tiers_section(const TargetUse& use) {
  std::vector<Row> rows = {{"memory", "capacity", "used", "peak", "free", "lasting", "moved", ""}};
  for (const TierUse& it : use.tiers) {
    const auto free = it.free();
    rows.push_back({fmt::format("chip {} {}", it.chip.index(), to_string(it.tier)),
                    it.capacity ? number(*it.capacity) : "no limit", number(it.used),
                    number(it.peak), free ? number(*free) : "-", number(it.lasting),
                    number(it.moved), time_text(it.nanoseconds)});
  }
  return columns(rows, 7) + "\n";
}

std::string why_text(const SpilledTensor& it) {
  switch (it.why) {
    case SpilledTensor::Why::PushedOut:
      return fmt::format("pushed out at phase {}, {} bytes short", it.phase.value_or(0),
                         it.short_by.count());
    case SpilledTensor::Why::LessWorth:
      return "others move more";
    case SpilledTensor::Why::NoLayout:
      return "the live sum fits, but no layout was found with it";
  }
  __builtin_unreachable();
}

std::string spilled_section(const TargetUse& use) {
  if (use.spilled.empty()) return "";
  std::vector<Row> rows = {{"left the SRAM", "bytes", "moved", "for", "why"}};
  const bool is_one = std::ranges::all_of(
      use.spilled, [&](const SpilledTensor& it) { return it.program == use.spilled[0].program; });
  const std::size_t shown = std::min(use.spilled.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const SpilledTensor& it = use.spilled[i];
    rows.push_back({shortened(is_one ? it.tensor : it.program + "." + it.tensor, kNameWidth),
                    number(it.bytes), number(it.moved), std::string(to_string(it.to)),
                    why_text(it)});
  }
  std::string text = columns(rows, 3);
  if (shown < use.spilled.size()) {
    text += fmt::format("  and {} more\n", use.spilled.size() - shown);
  }
  return text + "\n";
}

std::string off_chip_section(const OffChipUse& off) {
  std::string text = fmt::format("off chip: {} bytes a step\n", off.total().count());
  std::vector<Row> rows;
  const auto add = [&](const char* what, Bytes bytes, const char* note) {
    if (bytes > Bytes(0)) rows.push_back({fmt::format("  {}", what), number(bytes), note});
  };
  add("spilled", off.spilled, "intermediates that left the SRAM");
  add("unplaced", off.unplaced,
      "intermediates that no chip may hold: its sites do not reach each other, or the host reads "
      "them");
  add("states", off.states, "");
  add("tables", off.tables, "");
  add("weights", off.weights, "");
  add("inputs and outputs", off.ends, "");
  return text + columns(rows, 2) + "\n";
}

std::string certificate_section(const CertificateUse& seen) {
  if (seen.vacuous()) return "verdict 0, vacuous: no launch holds an address of the plan\n\n";
  return fmt::format(
      "verdict 0: certified, {} launches ({} executed, {} instances of phases), {} of {} words in "
      "windows\n\n",
      seen.launches, seen.executed, seen.instances, seen.words_in_windows, seen.words);
}

std::string advice_of(const Obstacle& obstacle) {
  const std::uint64_t missing =
      obstacle.needed < obstacle.available ? 0 : (obstacle.needed - obstacle.available).count();
  switch (obstacle.kind) {
    case Obstacle::Kind::BufferPastSite:
      return "make it smaller, or lay it out on another site";
    case Obstacle::Kind::BuffersPastSram:
    case Obstacle::Kind::ReservePastSram:
      return fmt::format("reserve {} bytes less, or take a chip with more SRAM", missing);
    case Obstacle::Kind::PinnedPastSram:
    case Obstacle::Kind::NoLayout:
      return fmt::format(
          "let one of them leave (pinned, or tier sram, keeps it), or take a chip with {} bytes "
          "more SRAM",
          missing);
    case Obstacle::Kind::DramFull:
    case Obstacle::Kind::NoMemory:
      return fmt::format(
          "take a chip with {} bytes more of off-chip memory, smaller weights (fewer bits), fewer "
          "layers or a shorter context",
          missing);
  }
  __builtin_unreachable();
}

}  // namespace

std::string target_table(const TargetUse& use, Colour colour) {
  std::string title = fmt::format("on {}", shortened(use.name, kNameWidth));
  if (colour == Colour::On) title = fmt::format("\x1B[1m{}\x1B[0m", title);
  return fmt::format("{}  policy {}\n\n", title, to_string(use.policy)) + tiers_section(use) +
         spilled_section(use) + off_chip_section(use.off_chip) +
         certificate_section(use.certificate);
}

std::string obstacle_report(std::span<const Obstacle> obstacles) {
  std::string text;
  for (const Obstacle& obstacle : obstacles) {
    text += fmt::format("does not fit: {}\n  {}\n", explain(obstacle), advice_of(obstacle));
  }
  return text;
}

std::string overflow_report(const TierOverflow& it) {
  std::string text =
      fmt::format("does not fit: {} must hold {} bytes, and has {}: {} short\n", it.device,
                  it.needed.count(), it.capacity.count(), (it.needed - it.capacity).count());
  const auto add = [&](const char* what, Bytes bytes) {
    if (bytes > Bytes(0)) text += fmt::format("  {:>20} {}\n", bytes.count(), what);
  };
  add("states", it.states);
  add("weights", it.weights);
  add("inputs and outputs", it.ends);
  add("intermediates, tables, scratch", it.turns);
  const bool is_weights = it.weights >= it.states && it.weights >= it.turns;
  return text +
         (is_weights ? "  take smaller weights (fewer bits), fewer layers a chip, "
                     : "  take a smaller batch or context, fewer layers a chip, ") +
         "or a chip with more of this memory\n";
}

}  // namespace berth
