#include "berth/render/residency_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "berth/render/columns.h"
#include "berth/render/text.h"
#include "berth/reside/demand.h"

namespace berth {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kShown = 20;  // spills of a program
constexpr std::size_t kBeside = 4;  // tensors named in a row

using Row = std::vector<std::string>;

std::string number(Bytes bytes) {
  return std::to_string(bytes.count());
}

std::string name(std::string_view text) {
  return shortened(text, kNameWidth);
}

std::string chips_section(const Residency& plan) {
  std::vector<Row> rows = {
      {"chip", "SRAM", "reserve", "states", "free", "HBM states", "DRAM states"}};
  for (std::size_t i = 0; i < plan.chips.size(); ++i) {
    const ChipResidency& chip = plan.chips[i];
    const Bytes free = chip.room() < chip.states ? Bytes(0) : chip.room() - chip.states;
    rows.push_back({std::to_string(i), number(chip.sram), number(chip.reserve), number(chip.states),
                    number(free), number(chip.hbm), number(chip.dram)});
  }
  return columns(rows, 7) + "\n";
}

// Why a class has its tier: what the room was when its turn came.
class Reasons {
 public:
  explicit Reasons(const Residency& plan) : policy_(plan.policy) {
    for (const ChipResidency& chip : plan.chips) left_.push_back(chip.room());
  }

  std::string why(const ClassResidency& it, bool holds) {
    const std::size_t chip = it.state.chip.index();
    const Bytes held = it.state.held();
    if (it.tier == Tier::Sram) {
      left_[chip] = left_[chip] < held ? Bytes(0) : left_[chip] - held;
      return fmt::format("fits, {} left", left_[chip].count());
    }
    if (it.split > 0) {
      const Bytes kept = *checked_multiply(it.state.bytes, it.split);
      left_[chip] = left_[chip] < kept ? Bytes(0) : left_[chip] - kept;
      return fmt::format("{} of {} instances in SRAM", it.split, it.state.instances);
    }
    if (it.state.host) return "the host reads it";
    if (!holds) return "the chip holds no tensors between sections";
    if (held > left_[chip]) return fmt::format("{} left", left_[chip].count());
    return policy_ == Policy::Best ? "others are worth more" : "";
  }

 private:
  Policy policy_;
  std::vector<Bytes> left_;
};

std::string classes_section(const Residency& plan, const Target& target) {
  if (plan.classes.empty()) return "";
  std::vector<Row> rows = {
      {"state", "chip", "instances", "bytes", "moved", "moved/byte", "tier", "why"}};
  Reasons reasons(plan);
  for (const ClassResidency& it : plan.classes) {
    const StateClass& state = it.state;
    const double density = state.bytes == Bytes(0) ? 0
                                                   : static_cast<double>(state.moved.count()) /
                                                         static_cast<double>(state.bytes.count());
    rows.push_back({name(state.program + "." + state.tensor), std::to_string(state.chip.index()),
                    std::to_string(state.instances), number(state.held()),
                    number(state.moved_by_all()),
                    state.bytes == Bytes(0) ? "-" : fmt::format("{:.4f}", density),
                    std::string(to_string(it.tier)),
                    reasons.why(it, holds_tensors_on_chip(target, state.chip))});
  }
  return columns(rows, 6) + "\n";
}

// "beside a, b and 3 more; stays from an SRAM of 70"
std::string reason_text(const SpillReason& reason, const Program& program) {
  std::string text;
  const std::size_t shown = std::min(reason.beside.size(), kBeside);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "beside " : ", ") + name(program.tensors[reason.beside[i].index()].name);
  }
  const std::size_t more = reason.beside.size() - shown + reason.more_beside;
  if (more > 0) text += fmt::format(" and {} more", more);
  if (!reason.stays_from) return text;
  return text + fmt::format("{}stays from an SRAM of {}", text.empty() ? "" : "; ",
                            reason.stays_from->count());
}

std::string place_of(const SpillReason& reason, const Program& program) {
  return fmt::format("phase {} ({}), {} bytes short", reason.phase,
                     name(program.phases[reason.phase].name), reason.short_by.count());
}

std::string spills_of(const ProgramResidency& it, Policy policy, const Program& program,
                      const std::vector<SpillReason>& reasons) {
  if (it.spilled.empty()) return "";
  const bool is_rule = policy == Policy::Rule;
  std::vector<Row> rows = {{"  off chip", "bytes", is_rule ? "pushed out at" : "tightest at", ""}};
  for (std::size_t i = 0; i < std::min(it.spilled.size(), kShown); ++i) {
    const Spill& spill = it.spilled[i];
    const Tensor& tensor = program.tensors[spill.tensor.index()];
    const SpillReason* reason = i < reasons.size() ? &reasons[i] : nullptr;
    std::string where = "for what moves more";
    if (reason != nullptr) {
      where = place_of(*reason, program);
    } else if (spill.phase) {
      where = place_of({.phase = *spill.phase, .short_by = spill.short_by}, program);
    }
    rows.push_back({"  " + name(tensor.name), number(tensor.bytes), std::move(where),
                    reason != nullptr ? reason_text(*reason, program) : ""});
  }
  std::string text = columns(rows, 2);
  if (it.spilled.size() > kShown) {
    text += fmt::format("    and {} more\n", it.spilled.size() - kShown);
  }
  return text;
}

// Who is in SRAM for parts of its life: for which phases, and where the room is short when it is
// not.
std::string partly_of(const ProgramResidency& it, const Program& program,
                      const std::vector<SpillReason>& away) {
  if (it.partly.empty()) return "";
  std::vector<Row> rows = {
      {"  on chip in part", "bytes", "moved", "phases", "away, tightest at", ""}};
  for (std::size_t i = 0; i < std::min(it.partly.size(), kShown); ++i) {
    const PartlyKept& part = it.partly[i];
    const Tensor& tensor = program.tensors[part.tensor.index()];
    std::string phases;
    for (const auto& [range, saved] : part.stretches) {
      phases += fmt::format("{}{}-{}", phases.empty() ? "" : ", ", range.lower, range.upper - 1);
    }
    const SpillReason* reason = i < away.size() ? &away[i] : nullptr;
    rows.push_back({"  " + name(tensor.name), number(tensor.bytes), number(part.moved),
                    std::move(phases), reason == nullptr ? "" : place_of(*reason, program),
                    reason == nullptr ? "" : reason_text(*reason, program)});
  }
  std::string text = columns(rows, 3);
  if (it.partly.size() > kShown) {
    text += fmt::format("    and {} more\n", it.partly.size() - kShown);
  }
  return text;
}

// Where addresses need more than sums: who leaves for it.
std::string layouts_of(const ProgramResidency& it, const Program& program,
                       const std::vector<Layout>& layouts) {
  std::string text;
  for (const Layout& layout : layouts) {
    text += fmt::format("    chip {}: laid out in {} of {} bytes, at most {} live at once\n",
                        layout.chip.index(), layout.arena.count(), layout.room.count(),
                        layout.max_load.count());
    if (layout.forced_out.empty()) continue;
    std::string names;
    for (std::size_t i = 0; i < std::min(layout.forced_out.size(), kBeside); ++i) {
      names += (i == 0 ? "" : ", ") + name(program.tensors[layout.forced_out[i].index()].name);
    }
    if (layout.forced_out.size() > kBeside) {
      names += fmt::format(" and {} more", layout.forced_out.size() - kBeside);
    }
    text += fmt::format(
        "    the live sum fits, but no layout was found until these left: {}\n"
        "    traffic {} by sums, {} at addresses\n",
        names, it.traffic.count(), (it.traffic + layout.forced_traffic).count());
  }
  return text;
}

// What no SRAM can hold between sections, whatever is free there, and why.
std::string unplaced_of(const ProgramResidency& it, const Program& program) {
  std::string text;
  for (const bool host : {false, true}) {
    std::string names;
    Bytes moved;
    std::size_t count = 0;
    for (const Unplaced& apart : it.apart) {
      if (apart.host != host) continue;
      moved += apart.moved;
      if (++count > kBeside) continue;
      names += (count == 1 ? "" : ", ") + name(program.tensors[apart.tensor.index()].name);
    }
    if (count > kBeside) names += fmt::format(" and {} more", count - kBeside);
    if (count == 0) continue;
    text += fmt::format(
        "    {} bytes a run move off chip: {}: {}\n", moved.count(),
        host ? "the host reads them" : "the sites of their chip do not reach each other", names);
  }
  return text;
}

std::string programs_section(const ResidencyAnswer& answer, const Deployment& deployment) {
  const Residency& plan = answer.plan;
  std::string text;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const ProgramResidency& it = plan.programs[i];
    std::vector<Row> rows = {{"program", "layers", "chip", "buffers", "footprint", "traffic"}};
    for (std::size_t chip = 0; chip < it.sram_footprint.size(); ++chip) {
      rows.push_back({chip == 0 ? name(it.name) : "", chip == 0 ? std::to_string(it.layers) : "",
                      std::to_string(chip), number(it.buffer_footprint[chip]),
                      number(it.sram_footprint[chip]), chip == 0 ? number(it.traffic) : ""});
    }
    const Program& program = deployment.programs[i].program;
    text += columns(rows, 6);
    text += spills_of(it, plan.policy, program,
                      i < answer.reasons.size() ? answer.reasons[i] : std::vector<SpillReason>());
    text += partly_of(it, program,
                      i < answer.away.size() ? answer.away[i] : std::vector<SpillReason>());
    if (i < answer.layouts.size()) text += layouts_of(it, program, answer.layouts[i]);
    text += unplaced_of(it, program);
    text += "\n";
  }
  return text;
}

// What a step moves through the tiers below, and how long that takes.
std::string times(const std::vector<TierTraffic>& traffic) {
  std::string text;
  const auto add = [&](std::size_t chip, std::string_view tier, Bytes bytes,
                       const std::optional<std::uint64_t>& nanoseconds) {
    if (bytes == Bytes(0)) return;
    text += fmt::format("  chip {}: {} bytes a step by {}", chip, bytes.count(), tier);
    if (nanoseconds) {
      text += fmt::format(", {:.3f} ms", 1e-6 * static_cast<double>(*nanoseconds));
    }
    text += "\n";
  };
  for (std::size_t chip = 0; chip < traffic.size(); ++chip) {
    add(chip, "HBM", traffic[chip].hbm, traffic[chip].hbm_nanoseconds);
    add(chip, "DRAM", traffic[chip].dram, traffic[chip].dram_nanoseconds);
  }
  return text;
}

std::string off_chip_section(const ResidencyAnswer& answer) {
  const OffChip parts = answer.plan.off_chip();
  std::string text = "off chip, bytes a step\n";
  std::vector<Row> rows = {{"rule", number(answer.rule), ""}};
  if (answer.best_of_whole) {
    rows.push_back({"best", number(*answer.best_of_whole), "of whole lives"});
  }
  rows.push_back(
      {"best", number(answer.best), answer.best_of_whole ? "of stretches of lives" : ""});
  rows.push_back({"bound", number(answer.bound),
                  answer.bound == answer.best ? "proved: nothing moves less"
                                              : "proved: nothing moves less than this"});
  text += columns(rows, 2);
  if (answer.best > Bytes(0)) {
    text += fmt::format(
        "  the rule moves {:.3f} times what the best does\n",
        static_cast<double>(answer.rule.count()) / static_cast<double>(answer.best.count()));
  }
  text += fmt::format("  of this plan: {} spilled, {} tables, {} states", parts.spilled.count(),
                      parts.tables.count(), parts.states.count());
  if (parts.unplaced > Bytes(0)) {
    text += fmt::format(", {} that no SRAM may hold", parts.unplaced.count());
  }
  text += "\n";
  return text + times(answer.traffic);
}

}  // namespace

std::string explain(const Obstacle& obstacle) {
  std::string names;
  for (std::size_t i = 0; i < std::min(obstacle.names.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + name(obstacle.names[i]);
  }
  if (obstacle.names.size() > kShown) {
    names += fmt::format(" and {} more", obstacle.names.size() - kShown);
  }
  const std::string program = name(obstacle.program);
  const std::size_t chip = obstacle.chip.index();
  const std::uint64_t needed = obstacle.needed.count();
  const std::uint64_t available = obstacle.available.count();
  switch (obstacle.kind) {
    case Obstacle::Kind::BufferPastSite:
      return fmt::format(
          "program {}: buffers[{}] ends at byte {} of site {} of chip {}, which has {}", program,
          obstacle.buffer, needed, obstacle.site, chip, available);
    case Obstacle::Kind::BuffersPastSram:
      return fmt::format("program {}: its buffers take {} bytes of chip {}, which has {} to use",
                         program, needed, chip, available);
    case Obstacle::Kind::PinnedPastSram:
      return fmt::format(
          "program {}: at phase {} chip {} must hold {} bytes, the buffers leave {}; {} alone do "
          "not "
          "fit",
          program, obstacle.phase, chip, needed, available,
          names.empty() ? "the bytes of its scratch" : names);
    case Obstacle::Kind::ReservePastSram:
      return fmt::format("chip {}: {} bytes are reserved, of {}", chip, needed, available);
    case Obstacle::Kind::NoLayout:
      return fmt::format(
          "program {}: what must stay on chip {} fits its {} bytes by sums, but no layout was "
          "found "
          "that takes less than {}",
          program, chip, available, needed);
    case Obstacle::Kind::DramFull:
      return fmt::format("chip{}.dram must hold {} bytes, and has {}: {} short: {}", chip, needed,
                         available, needed - available, names);
    case Obstacle::Kind::NoMemory:
      return fmt::format("chip {}: {} bytes have no memory to live in, for it has no DRAM: {}",
                         chip, needed, names);
  }
  __builtin_unreachable();
}

std::string residency_table(const ResidencyAnswer& answer, const Deployment& deployment,
                            const Target& target, Colour colour) {
  const std::string title =
      fmt::format("residency of {} on {}", name(deployment.name), name(target.name));
  std::string text = colour == Colour::On ? fmt::format("\x1B[1m{}\x1B[0m", title) : title;
  text += fmt::format("  policy {}\n\n", to_string(answer.plan.policy));
  for (const Obstacle& obstacle : answer.plan.obstacles) {
    text += "does not fit: " + explain(obstacle) + "\n";
  }
  if (!answer.plan.feasible()) text += "\n";
  return text + chips_section(answer.plan) + classes_section(answer.plan, target) +
         programs_section(answer, deployment) + off_chip_section(answer);
}

}  // namespace berth
