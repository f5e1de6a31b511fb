#include "berth/pipeline/claimed_residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "berth/base/text.h"
#include "berth/certify/program_facts.h"
#include "berth/pipeline/put_layouts.h"
#include "berth/reside/homes.h"
#include "berth/reside/tiers.h"

namespace berth {
namespace {

// One program of the plan, with what the claim says of its tensors in place of the rule's choice.
ProgramResidency claimed_program(const ProgramClaim& claim, const DeployedProgram& deployed,
                                 const Demand& demand, const Target& target,
                                 ProgramResidency made) {
  const Program& program = deployed.program;
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    by_name.emplace(program.tensors[i].name, i);
  }
  for (const Spill& spill : made.spilled) made.on_chip[spill.tensor.index()] = true;
  made.spilled.clear();
  for (const SpillClaim& it : claim.spilled) {
    const TensorId id(by_name.at(it.tensor));
    const Tensor& tensor = program.tensors[id.index()];
    made.on_chip[id.index()] = false;
    made.spilled.push_back(
        {id, tensor.chip, std::nullopt, Bytes(0), tensor.tier, demand[id].moved});
  }
  const ProgramFacts facts = facts_of(program, target);
  for (const PartlyClaim& it : claim.partly) {
    const TensorId id(by_name.at(it.tensor));
    const Tensor& tensor = program.tensors[id.index()];
    PartlyKept kept{id, tensor.chip, tensor.tier, {}, it.moved};
    for (const LiveRange phases : it.stretches) {
      const auto saved = saved_in(facts.uses[id.index()], tensor.bytes, phases);
      kept.stretches.push_back({phases, saved.value_or(Bytes(0))});
    }
    made.on_chip[id.index()] = false;
    made.partly.push_back(std::move(kept));
  }
  std::ranges::sort(made.partly, {}, &PartlyKept::tensor);
  for (TableResidency& table : made.tables) {
    table.on_chip = std::ranges::find(claim.tables, table.table.tensor) != claim.tables.end();
    made.on_chip[table.tensor.index()] = table.on_chip;
  }
  made.traffic = claim.traffic;
  return made;
}

Residency claimed_plan(const ResidencyClaim& claim, const Deployment& deployment,
                       const Target& target, const DeploymentDemand& demand,
                       const Residency& rule) {
  Residency plan{.policy = claim.policy,
                 .chips = claim.chips,
                 .programs = {},
                 .classes = claim.classes,
                 .obstacles = rule.obstacles};
  for (std::size_t i = 0; i < rule.programs.size(); ++i) {
    plan.programs.push_back(claimed_program(claim.programs[i], deployment.programs[i],
                                            demand.programs[i], target, rule.programs[i]));
  }
  // Who goes below is the plan's choice; the rest is in any plan's way.
  put_home_obstacles(plan, deployment, target, demand);
  return plan;
}

// A smallest set that does not fit may be another one.
auto key_of(const Obstacle& it) {
  const bool names_are_chosen = it.kind == Obstacle::Kind::PinnedPastSram;
  return std::tuple(it.kind, it.program, it.chip, it.site, it.buffer, it.phase, it.needed,
                    it.available, names_are_chosen ? std::vector<std::string>() : it.names);
}

bool is_same(std::vector<Obstacle> a, std::vector<Obstacle> b) {
  std::ranges::sort(a, {}, key_of);
  std::ranges::sort(b, {}, key_of);
  return std::ranges::equal(a, b, {}, key_of, key_of);
}

std::string kinds_text(const std::vector<Obstacle>& obstacles) {
  std::string text;
  for (const Obstacle& it : obstacles) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(it.kind));
  }
  return text.empty() ? "none" : text;
}

void compare_obstacles(const ResidencyClaim& claim, const std::vector<Obstacle>& obstacles,
                       std::vector<std::string>& faults) {
  if (claim.feasible != obstacles.empty()) {
    faults.push_back(
        fmt::format("it says that the plan can{} be, of the input the obstacles are: {}",
                    claim.feasible ? "" : "not", kinds_text(obstacles)));
  } else if (claim.obstacles && !is_same(*claim.obstacles, obstacles)) {
    faults.push_back(
        fmt::format("its obstacles ({}) are not those of the input ({}), or differ in "
                    "what they say",
                    kinds_text(*claim.obstacles), kinds_text(obstacles)));
  }
}

void compare_traffic(const ResidencyClaim& claim, const std::vector<TierTraffic>& traffic,
                     std::vector<std::string>& faults) {
  if (!claim.traffic) return;
  for (std::size_t chip = 0; chip < traffic.size(); ++chip) {
    const TierTraffic& told = (*claim.traffic)[chip];
    if (told == traffic[chip]) continue;
    faults.push_back(fmt::format(
        "chip {}: {} bytes a step move through its HBM and {} through its DRAM, not {} and {}; or "
        "they take another time",
        chip, traffic[chip].hbm.count(), traffic[chip].dram.count(), told.hbm.count(),
        told.dram.count()));
  }
}

void compare_placed(const ResidencyClaim& claim, const ResidencyAnswer& made,
                    std::vector<std::string>& faults) {
  for (std::size_t i = 0; i < claim.programs.size(); ++i) {
    const ProgramClaim& told = claim.programs[i];
    Bytes forced;
    if (i < made.layouts.size()) {
      for (const Layout& layout : made.layouts[i]) forced += layout.forced_traffic;
    }
    const Bytes placed = told.traffic + forced;
    if (told.traffic_placed.value_or(placed) == placed &&
        (forced > Bytes(0) || !told.traffic_placed)) {
      continue;
    }
    faults.push_back(fmt::format("program {}: at addresses it moves {} bytes a run, not {}",
                                 printable(told.name), placed.count(),
                                 told.traffic_placed.value_or(told.traffic).count()));
  }
}

}  // namespace

Result<std::vector<std::string>> find_told_otherwise(const ResidencyClaim& claim,
                                                     const Deployment& deployment,
                                                     const Target& target,
                                                     const DeploymentDemand& demand,
                                                     const Residency& rule) {
  ResidencyAnswer made;
  made.plan = claimed_plan(claim, deployment, target, demand, rule);
  const auto broken = put_layouts(made, deployment, target, demand);
  if (!broken) return tl::unexpected(broken.error());
  std::vector<std::string> faults;
  if (*broken) faults.push_back((*broken)->report);
  compare_obstacles(claim, made.plan.obstacles, faults);
  compare_traffic(claim, traffic_by_tier(deployment, target, made.plan), faults);
  compare_placed(claim, made, faults);
  return faults;
}

}  // namespace berth
