#include "berth/reside/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth {
namespace {

// Keeps the least sum that is above what there is.
class Next {
 public:
  explicit Next(Bytes sram) : sram_(sram) {}
  void ask(std::optional<Bytes> sum) {
    if (sum && *sum > sram_ && (!least_ || *sum < *least_)) least_ = sum;
  }
  std::optional<Bytes> least() const { return least_; }

 private:
  Bytes sram_;
  std::optional<Bytes> least_;
};

void ask_program(const ProgramResidency& program, const Target& target, Bytes sram, Next& next) {
  for (const Spill& spill : program.spilled) {
    // What was live, and the buffers. Past the buffers alone there was no room at all.
    const Bytes buffers = program.buffer_footprint[spill.chip.index()];
    next.ask(checked_add(std::max(sram, buffers), spill.short_by));
  }
  std::vector<Bytes> taken = program.sram_footprint;
  for (const TableResidency& it : program.tables) {
    const std::size_t chip = it.table.chip.index();
    if (it.on_chip) {
      taken[chip] += it.table.bytes;
    } else if (!it.table.host && holds_tensors_on_chip(target, it.table.chip)) {
      next.ask(checked_add(taken[chip], it.table.bytes));
    }
  }
}

void ask_states(const Residency& plan, const Target& target, Next& next) {
  std::vector<Bytes> taken;
  for (const ChipResidency& chip : plan.chips) taken.push_back(chip.reserve);
  for (const ClassResidency& it : plan.classes) {
    Bytes& held = taken[it.state.chip.index()];
    if (it.tier == Tier::Sram) {
      held += it.state.held();
    } else if (!it.state.host && holds_tensors_on_chip(target, it.state.chip)) {
      next.ask(checked_add(held, it.state.held()));
    }
  }
}

}  // namespace

Target with_sram(const Target& target, Bytes sram) {
  Target result = target;
  for (Chip& chip : result.chips) {
    chip.reserved = Bytes(0);
    const Bytes sum = chip.sram();
    if (chip.site_count() == 1) {
      chip.sites = {{1, sram}};  // still one: it holds tensors whatever reaches what
    } else if (sum < sram) {
      chip.sites.push_back({1, sram - sum});
    } else {
      chip.reserved = sum - sram;
    }
  }
  return result;
}

std::optional<Bytes> next_sram(const Residency& plan, const Target& target, Bytes sram) {
  Next next(sram);
  for (const ProgramResidency& program : plan.programs) ask_program(program, target, sram, next);
  ask_states(plan, target, next);
  for (const Obstacle& obstacle : plan.obstacles) {
    if (obstacle.kind == Obstacle::Kind::PinnedPastSram) {
      next.ask(checked_add(sram - obstacle.available, obstacle.needed));
    }
    using Kind = Obstacle::Kind;
    const bool is_past_sram =
        obstacle.kind == Kind::BuffersPastSram || obstacle.kind == Kind::ReservePastSram;
    // A single site is all of the SRAM, and grows with it.
    const bool is_past_site = obstacle.kind == Kind::BufferPastSite &&
                              target.chips[obstacle.chip.index()].site_count() == 1;
    if (is_past_sram || is_past_site) next.ask(obstacle.needed);
  }
  return next.least();
}

Result<void> each_rule_change(const Deployment& deployment, const Target& target,
                              const DeploymentDemand& demand, const SweepRange& range,
                              std::size_t most,
                              const std::function<void(Bytes, const Residency&)>& visit) {
  std::optional<Bytes> sram = range.from;
  for (std::size_t count = 0; sram && (!range.to || *sram <= *range.to); ++count) {
    if (count == most) {
      return tl::unexpected(
          Error{Error::Kind::Limit, "--sweep",
                fmt::format("the rule changes more than {} times up to an SRAM of {} bytes", most,
                            sram->count()),
                "give a narrower range: --sweep sram=FROM:TO"});
    }
    const Target chips = with_sram(target, *sram);
    const Residency plan = plan_deployment(deployment, chips, demand, Running::OneAtATime);
    visit(*sram, plan);
    sram = next_sram(plan, chips, *sram);
  }
  return {};
}

std::optional<Bytes> slack(const std::vector<ChipCertificate>& certificates) {
  std::optional<Bytes> least;
  for (const auto& [chip, choice, kept, prices] : certificates) {
    std::vector<Bytes> begins(choice.capacity.size() + 1);
    std::vector<Bytes> ends(choice.capacity.size() + 1);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const ChoiceItem& item = choice.items[i];
      begins[item.phases.lower] += *checked_multiply(item.bytes, kept[i]);
      ends[item.phases.upper] += *checked_multiply(item.bytes, kept[i]);
    }
    Bytes load;
    for (std::size_t phase = 0; phase < choice.capacity.size(); ++phase) {
      load -= ends[phase];
      load += begins[phase];
      if (load == Bytes(0)) continue;
      const Bytes left = choice.capacity[phase] - load;
      least = std::min(least.value_or(left), left);
    }
  }
  return least;
}

std::vector<std::vector<std::optional<Bytes>>> stays_from(const Deployment& deployment,
                                                          const Target& target,
                                                          const DeploymentDemand& demand,
                                                          const Residency& plan, std::size_t most) {
  std::vector<std::vector<std::optional<Bytes>>> least;
  std::size_t open = 0;
  for (const ProgramResidency& program : plan.programs) {
    least.emplace_back(program.spilled.size());
    open += program.spilled.size();
  }
  if (open == 0) return least;
  Bytes from = plan.chips.front().sram;
  for (const ChipResidency& chip : plan.chips) from = std::min(from, chip.sram);
  std::optional<Bytes> sram = from;
  for (std::size_t i = 0; sram && i < most && open > 0; ++i) {
    const Target chips = with_sram(target, *sram);
    const Residency at = plan_deployment(deployment, chips, demand, Running::OneAtATime);
    for (std::size_t p = 0; p < least.size(); ++p) {
      for (std::size_t s = 0; s < least[p].size(); ++s) {
        const Spill& spill = plan.programs[p].spilled[s];
        const bool stays = at.programs[p].on_chip[spill.tensor.index()];
        const bool is_more = *sram > plan.chips[spill.chip.index()].sram;
        if (least[p][s] || !stays || !is_more) continue;
        least[p][s] = *sram;
        --open;
      }
    }
    sram = next_sram(at, chips, *sram);
  }
  return least;
}

}  // namespace berth
