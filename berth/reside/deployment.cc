#include "berth/reside/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "berth/reside/homes.h"

namespace berth {
namespace {

using Fault = std::optional<Error>;

Error wrong(std::string path, std::string message, std::string hint = {}) {
  return {Error::Kind::Input, std::move(path), std::move(message), std::move(hint)};
}

StateClass state_class(const DeployedProgram& deployed, const Demand& demand, TensorId tensor,
                       std::uint64_t instances) {
  const Tensor& state = deployed.program.tensors[tensor.index()];
  return {deployed.name, state.name,           state.chip, instances,
          state.bytes,   demand[tensor].moved, state.host};
}

// Keeps sums that go over layers and instances within 64 bits.
class Totals {
 public:
  bool add(Bytes bytes, std::uint64_t times, Bytes moved, std::uint64_t runs) {
    return add(held_, checked_multiply(bytes, times)) && add(moved_, checked_multiply(moved, runs));
  }

 private:
  static bool add(Bytes& sum, std::optional<Bytes> more) {
    const auto total = more ? checked_add(sum, *more) : std::nullopt;
    if (total) sum = *total;
    return total.has_value();
  }

  Bytes held_;
  Bytes moved_;
};

class Reader {
 public:
  Reader(const Deployment& deployment, const Target& target)
      : deployment_(deployment), target_(target) {}

  Result<DeploymentDemand> read() {
    demand_.reserve.assign(target_.chips.size(), Bytes(0));
    if (deployment_.given) {
      if (Fault fault = read_given()) return tl::unexpected(*std::move(fault));
      return std::move(demand_);
    }
    for (std::size_t i = 0; i < deployment_.programs.size(); ++i) {
      if (Fault fault = read_program(i)) return tl::unexpected(*std::move(fault));
    }
    return std::move(demand_);
  }

 private:
  Fault read_given() {
    const GivenStates& given = *deployment_.given;
    if (given.reserve.size() > target_.chips.size()) {
      return wrong("reserve", fmt::format("has {} entries, the target has {} chips",
                                          given.reserve.size(), target_.chips.size()));
    }
    std::ranges::copy(given.reserve, demand_.reserve.begin());
    std::set<std::tuple<std::string, std::string, ChipId>> names;
    for (std::size_t i = 0; i < given.classes.size(); ++i) {
      const StateClass& state = given.classes[i];
      const std::string path = fmt::format("classes[{}]", i);
      if (state.chip.index() >= target_.chips.size()) {
        return wrong(path + ".chip", fmt::format("found chip {}, the target has {}",
                                                 state.chip.index(), target_.chips.size()));
      }
      if (!names.emplace(state.program, state.tensor, state.chip).second) {
        return wrong(path, fmt::format("a class {}.{} on chip {} stands before it", state.program,
                                       state.tensor, state.chip.index()));
      }
      if (!totals_.add(state.bytes, state.instances, state.moved, state.instances)) {
        return wrong(path, "sums past 2^64 bytes cannot be planned");
      }
    }
    demand_.classes = given.classes;
    return std::nullopt;
  }

  Fault read_program(std::size_t index) {
    const DeployedProgram& deployed = deployment_.programs[index];
    const std::string path = fmt::format("programs[{}]", index);
    if (!names_.insert(deployed.name).second) {
      return wrong(path + ".name",
                   fmt::format("\"{}\" is already the name of another program", deployed.name));
    }
    auto demand = program_demand(deployed.program, target_);
    if (!demand) {
      const Error& error = demand.error();
      return wrong(fmt::format("{}: {}", path, error.where), error.message, error.hint);
    }
    if (Fault fault = read_states(deployed, *demand, path)) return fault;
    demand_.programs.push_back(*std::move(demand));
    return std::nullopt;
  }

  Fault read_states(const DeployedProgram& deployed, const Demand& demand,
                    const std::string& path) {
    std::vector<bool> is_carried(deployed.program.tensors.size(), !deployed.carried.has_value());
    for (const TensorId tensor : deployed.carried.value_or(std::vector<TensorId>())) {
      const Tensor& state = deployed.program.tensors[tensor.index()];
      if (state.kind != TensorKind::State || state.view_of) {
        return wrong(
            path + ".carried",
            fmt::format("\"{}\" is {}", state.name, state.view_of ? "a view" : "no state tensor"),
            "name state tensors that are no views");
      }
      is_carried[tensor.index()] = true;
    }
    auto& tables = demand_.tables.emplace_back();
    for (std::size_t i = 0; i < is_carried.size(); ++i) {
      const TensorId tensor(i);
      const Tensor& it = deployed.program.tensors[i];
      if (demand[tensor].root != tensor) continue;
      const bool is_class = it.kind == TensorKind::State && is_carried[i];
      if (!totals_.add(it.bytes, is_class ? std::max<std::uint64_t>(deployed.layers, 1) : 1,
                       demand[tensor].moved, deployed.layers)) {
        return wrong(path + ".layers",
                     fmt::format("with {} layers, sums pass 2^64 bytes", deployed.layers));
      }
      if (is_class) {
        demand_.classes.push_back(state_class(deployed, demand, tensor, deployed.layers));
      } else if (it.kind == TensorKind::State) {
        tables.push_back(tensor);
      }
    }
    std::ranges::stable_sort(tables, ranks_before,
                             [&](TensorId table) { return table_class(deployed, demand, table); });
    return add_rest(demand, path);
  }

  // Buffers and scratch, so that footprints of programs may be summed.
  Fault add_rest(const Demand& demand, const std::string& path) {
    for (std::size_t chip = 0; chip < demand.buffers.size(); ++chip) {
      bool fits = totals_.add(demand.buffers[chip], 1, Bytes(0), 1);
      for (const auto& scratch : demand.scratch[chip]) {
        fits = fits && totals_.add(scratch.bytes, 1, Bytes(0), 1);
      }
      if (!fits) return wrong(path, "with this program, sums pass 2^64 bytes");
    }
    return std::nullopt;
  }

  const Deployment& deployment_;
  const Target& target_;
  DeploymentDemand demand_;
  Totals totals_;
  std::set<std::string> names_;
};

// One at a time, in rank order: on chip where the footprint and those kept before leave the room.
std::vector<bool> keep_tables(const DeployedProgram& deployed, const Target& target,
                              const Demand& demand, const std::vector<TensorId>& tables,
                              const Activations& activations) {
  std::vector<Bytes> taken = sram_footprint(deployed.program, demand, activations.on_chip);
  std::vector<bool> kept;
  for (const TensorId table : tables) {
    const Tensor& it = deployed.program.tensors[table.index()];
    Bytes& held = taken[it.chip.index()];
    kept.push_back(holds_tensors_on_chip(target, it.chip) && !it.host &&
                   held + it.bytes <= target.chips[it.chip.index()].sram());
    if (kept.back()) held += it.bytes;
  }
  return kept;
}

Stay stay_by_rule(const Deployment& deployment, const Target& target,
                  const DeploymentDemand& demand) {
  Stay stay;
  for (std::size_t i = 0; i < deployment.programs.size(); ++i) {
    const DeployedProgram& deployed = deployment.programs[i];
    stay.activations.push_back(place_activations(deployed.program, target, demand.programs[i]));
    stay.tables_on_chip.push_back(keep_tables(deployed, target, demand.programs[i],
                                              demand.tables[i], stay.activations.back()));
  }
  return stay;
}

void add_traffic(ProgramResidency& result, const Program& program, const Demand& demand) {
  for (const Spill& spill : result.spilled) result.traffic += spill.moved;
  for (const PartlyKept& it : result.partly) result.traffic += it.moved;
  std::vector<bool> is_decided = result.on_chip;
  for (const Spill& spill : result.spilled) is_decided[spill.tensor.index()] = true;
  for (const PartlyKept& it : result.partly) is_decided[it.tensor.index()] = true;
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const TensorId tensor(i);
    const Tensor& it = program.tensors[i];
    const bool is_apart = it.kind == TensorKind::Intermediate && demand[tensor].root == tensor &&
                          demand[tensor].life && !is_decided[i];
    if (!is_apart) continue;
    result.apart.push_back({tensor, it.chip, it.tier, demand[tensor].moved, it.host, it.pinned});
    result.unplaced += demand[tensor].moved;
  }
}

ProgramResidency compose_program(const DeployedProgram& deployed, const Demand& demand,
                                 const std::vector<TensorId>& tables, const Stay& stay,
                                 std::size_t index) {
  const Activations& activations = stay.activations[index];
  ProgramResidency result{
      .name = deployed.name,
      .layers = deployed.layers,
      .buffer_footprint = buffer_footprint(deployed.program, demand.buffers.size()),
      .sram_footprint =
          sram_footprint(deployed.program, demand, activations.on_chip, activations.partly),
      .on_chip = activations.on_chip,
      .spilled = activations.spilled,
      .partly = activations.partly};
  for (const Demand::Tensor& it : demand.tensors) {
    result.lives.push_back(demand[it.root].life);
  }
  add_traffic(result, deployed.program, demand);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const bool on_chip = stay.tables_on_chip[index][i];
    result.tables.push_back({table_class(deployed, demand, tables[i]), tables[i], on_chip});
    if (on_chip) result.on_chip[tables[i].index()] = true;
  }
  return result;
}

// What each chip takes while the program runs.
std::vector<Bytes> taken_by(const ProgramResidency& program) {
  std::vector<Bytes> taken = program.sram_footprint;
  for (const TableResidency& table : program.tables) {
    if (table.on_chip) taken[table.table.chip.index()] += table.table.bytes;
  }
  return taken;
}

void find_reserve_obstacles(Residency& plan, Running running) {
  for (std::size_t chip = 0; chip < plan.chips.size(); ++chip) {
    const ChipResidency& it = plan.chips[chip];
    const bool is_said = std::ranges::any_of(plan.obstacles, [&](const Obstacle& obstacle) {
      return obstacle.chip == ChipId(chip) && obstacle.kind != Obstacle::Kind::BufferPastSite;
    });
    const bool is_given = plan.programs.empty() || running == Running::Together;
    if (it.reserve <= it.sram || is_said || !is_given) continue;
    plan.obstacles.push_back({.kind = Obstacle::Kind::ReservePastSram,
                              .chip = ChipId(chip),
                              .needed = it.reserve,
                              .available = it.sram});
  }
}

}  // namespace

StateClass table_class(const DeployedProgram& deployed, const Demand& demand, TensorId table) {
  return state_class(deployed, demand, table, 1);
}

Result<DeploymentDemand> deployment_demand(const Deployment& deployment, const Target& target) {
  return Reader(deployment, target).read();
}

Residency compose_programs(const Deployment& deployment, const Target& target,
                           const DeploymentDemand& demand, const Stay& stay, Running running) {
  Residency plan;
  for (std::size_t chip = 0; chip < target.chips.size(); ++chip) {
    plan.chips.push_back({.sram = target.chips[chip].sram(), .reserve = demand.reserve[chip]});
  }
  for (std::size_t i = 0; i < deployment.programs.size(); ++i) {
    const DeployedProgram& deployed = deployment.programs[i];
    plan.programs.push_back(
        compose_program(deployed, demand.programs[i], demand.tables[i], stay, i));
    auto found = find_buffer_obstacles(deployed.program, target, demand.programs[i]);
    found.insert(found.end(), stay.activations[i].obstacles.begin(),
                 stay.activations[i].obstacles.end());
    for (Obstacle& obstacle : found) {
      obstacle.program = deployed.name;
      plan.obstacles.push_back(std::move(obstacle));
    }
    const auto taken = taken_by(plan.programs.back());
    for (std::size_t chip = 0; chip < taken.size(); ++chip) {
      Bytes& reserve = plan.chips[chip].reserve;
      reserve =
          running == Running::Together ? reserve + taken[chip] : std::max(reserve, taken[chip]);
    }
  }
  find_reserve_obstacles(plan, running);
  return plan;
}

void put_states(Residency& plan, const Target& target, std::vector<ClassResidency> classes) {
  plan_off_chip(target, classes);
  for (const ClassResidency& it : classes) {
    ChipResidency& chip = plan.chips[it.state.chip.index()];
    const std::uint64_t on_chip = it.on_chip();
    chip.states += *checked_multiply(it.state.bytes, on_chip);
    const Bytes below = *checked_multiply(it.state.bytes, it.state.instances - on_chip);
    (it.tier == Tier::Hbm ? chip.hbm : chip.dram) += below;
  }
  plan.classes = std::move(classes);
}

Residency plan_deployment(const Deployment& deployment, const Target& target,
                          const DeploymentDemand& demand, Running running) {
  Residency plan = compose_programs(deployment, target, demand,
                                    stay_by_rule(deployment, target, demand), running);
  std::vector<ChipRoom> rooms;
  for (std::size_t chip = 0; chip < plan.chips.size(); ++chip) {
    const ChipResidency& it = plan.chips[chip];
    rooms.push_back({it.sram, it.reserve, holds_tensors_on_chip(target, ChipId(chip))});
  }
  put_states(plan, target, plan_states(demand.classes, rooms));
  put_home_obstacles(plan, deployment, target, demand);
  return plan;
}

Result<Residency> plan_deployment(const Deployment& deployment, const Target& target,
                                  Running running) {
  const auto demand = deployment_demand(deployment, target);
  if (!demand) return tl::unexpected(demand.error());
  return plan_deployment(deployment, target, *demand, running);
}

}  // namespace berth
