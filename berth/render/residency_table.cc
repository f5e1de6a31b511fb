#include "berth/render/residency_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "berth/render/text.h"
#include "berth/reside/demand.h"

namespace berth {
namespace {

constexpr std::size_t kNameWidth = 40;
constexpr std::size_t kShown = 20;  // spills of a program

using Row = std::vector<std::string>;

// Rows under a heading, each column as wide as its widest; the first column is text, `text_from`
// the first of those that are text again.
std::string columns(const std::vector<Row>& rows, std::size_t text_from) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_text = i == 0 || i >= text_from;
      const bool is_last = i + 1 == row.size();
      line += " ";
      line += is_text ? (is_last ? row[i] : left_aligned(row[i], widths[i]))
                      : right_aligned(row[i], widths[i]);
      if (!is_last) line += " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

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

std::string spills_of(const ProgramResidency& it, const Program& program) {
  if (it.spilled.empty()) return "";
  std::vector<Row> rows = {{"  off chip", "bytes", "pushed out at"}};
  for (std::size_t i = 0; i < std::min(it.spilled.size(), kShown); ++i) {
    const Spill& spill = it.spilled[i];
    const Tensor& tensor = program.tensors[spill.tensor.index()];
    std::string where = "for what moves more";
    if (spill.phase) {
      where = fmt::format("phase {} ({}), {} bytes short", *spill.phase,
                          name(program.phases[*spill.phase].name), spill.short_by.count());
    }
    rows.push_back({"  " + name(tensor.name), number(tensor.bytes), std::move(where)});
  }
  std::string text = columns(rows, 2);
  if (it.spilled.size() > kShown) {
    text += fmt::format("    and {} more\n", it.spilled.size() - kShown);
  }
  return text;
}

std::string programs_section(const Residency& plan, const Deployment& deployment) {
  std::string text;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const ProgramResidency& it = plan.programs[i];
    std::vector<Row> rows = {{"program", "layers", "chip", "buffers", "footprint", "traffic"}};
    for (std::size_t chip = 0; chip < it.sram_footprint.size(); ++chip) {
      rows.push_back({chip == 0 ? name(it.name) : "", chip == 0 ? std::to_string(it.layers) : "",
                      std::to_string(chip), number(it.buffer_footprint[chip]),
                      number(it.sram_footprint[chip]), chip == 0 ? number(it.traffic) : ""});
    }
    text += columns(rows, 6) + spills_of(it, deployment.programs[i].program);
    if (it.unplaced > Bytes(0)) {
      text += fmt::format("    {} bytes a run move through memory: no SRAM can hold them\n",
                          it.unplaced.count());
    }
    text += "\n";
  }
  return text;
}

// How long a step takes to move what the tiers below hold.
std::string times(const Residency& plan, const Target& target) {
  std::vector<Bytes> hbm(target.chips.size());
  std::vector<Bytes> dram(target.chips.size());
  for (const ClassResidency& it : plan.classes) {
    const Bytes moved = *checked_multiply(it.state.moved, it.state.instances - it.on_chip());
    (it.tier == Tier::Hbm ? hbm : dram)[it.state.chip.index()] += moved;
  }
  std::string text;
  const auto add = [&](std::size_t chip, std::string_view tier, Bytes bytes,
                       std::optional<std::uint64_t> speed) {
    if (bytes == Bytes(0)) return;
    text += fmt::format("  chip {}: {} bytes of states a step by {}", chip, bytes.count(), tier);
    if (speed) {
      text += fmt::format(", {:.3f} ms",
                          1e3 * static_cast<double>(bytes.count()) / static_cast<double>(*speed));
    }
    text += "\n";
  };
  for (std::size_t chip = 0; chip < target.chips.size(); ++chip) {
    add(chip, "HBM", hbm[chip], target.chips[chip].hbm_speed);
    add(chip, "DRAM", dram[chip], target.chips[chip].dram_speed);
  }
  return text;
}

std::string off_chip_section(const ResidencyAnswer& answer, const Target& target) {
  const OffChip parts = answer.plan.off_chip();
  std::string text = "off chip, bytes a step\n";
  text += columns({{"rule", number(answer.rule)},
                   {"best", number(answer.best)},
                   {"bound", number(answer.bound),
                    answer.bound == answer.best ? "proved: nothing moves less"
                                                : "proved: nothing moves less than this"}},
                  2);
  if (answer.best > Bytes(0)) {
    text += fmt::format(
        "  the rule moves {:.3f} times what the best does\n",
        static_cast<double>(answer.rule.count()) / static_cast<double>(answer.best.count()));
  }
  text += fmt::format("  of this plan: {} spilled, {} tables, {} states\n", parts.spilled.count(),
                      parts.tables.count(), parts.states.count());
  return text + times(answer.plan, target);
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
          "program {}: at phase {} chip {} must hold {} bytes, the buffers leave {}: {}", program,
          obstacle.phase, chip, needed, available, names.empty() ? "scratch" : names);
    case Obstacle::Kind::ReservePastSram:
      return fmt::format("chip {}: {} bytes are reserved, of {}", chip, needed, available);
    case Obstacle::Kind::DramFull:
      return fmt::format("chip {}: states of {} bytes go to the DRAM, which has {}: {}", chip,
                         needed, available, names);
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
         programs_section(answer.plan, deployment) + off_chip_section(answer, target);
}

}  // namespace berth
