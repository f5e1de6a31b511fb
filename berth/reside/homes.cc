#include "berth/reside/homes.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// More than 64 bits hold reads as the most that they do: no memory holds it either.
Bytes sum(Bytes a, std::optional<Bytes> b) {
  const auto exact = b ? checked_add(a, *b) : std::nullopt;
  return exact.value_or(Bytes(UINT64_MAX));
}

// One tensor of one program: all its rows go down together.
struct Load {
  std::size_t program = 0;
  TensorId tensor;
  Bytes held;   // by all its rows, padded
  Bytes moved;  // in one run
  LiveRange life;
  bool takes_turns = false;  // an intermediate or a table: there while its program runs
  Tier tier = Tier::Dram;
};

// What one memory holds: what lasts, and of what takes turns the most that is there at once.
class Memory {
 public:
  explicit Memory(std::size_t programs) : phases_(programs), peaks_(programs) {}

  void add(const Load& load) {
    if (!load.takes_turns) {
      lasting_ = sum(lasting_, load.held);
      return;
    }
    auto& phases = phases_[load.program];
    if (phases.size() < load.life.upper) phases.resize(load.life.upper);
    Bytes& peak = peaks_[load.program];
    for (Step phase = load.life.lower; phase < load.life.upper; ++phase) {
      phases[phase] = sum(phases[phase], load.held);
      peak = std::max(peak, phases[phase]);
    }
    turns_ = std::max(turns_, peak);
  }
  // What it would take with the load.
  Bytes with(const Load& load) const {
    if (!load.takes_turns) return sum(taken(), load.held);
    const auto& phases = phases_[load.program];
    Bytes peak = turns_;
    for (Step phase = load.life.lower; phase < load.life.upper; ++phase) {
      peak = std::max(peak, sum(phase < phases.size() ? phases[phase] : Bytes(0), load.held));
    }
    return sum(lasting_, peak);
  }
  void add_lasting(std::optional<Bytes> bytes) { lasting_ = sum(lasting_, bytes); }
  Bytes taken() const { return sum(lasting_, turns_); }

 private:
  Bytes lasting_;
  Bytes turns_;
  std::vector<std::vector<Bytes>> phases_;  // by program
  std::vector<Bytes> peaks_;
};

class Finder {
 public:
  Finder(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
         const Residency& plan, const ForcedOut& forced_out)
      : deployment_(deployment),
        target_(target),
        demand_(demand),
        plan_(plan),
        forced_out_(forced_out) {}

  Homes find() {
    std::vector<std::vector<Load>> loads(target_.chips.size());
    for (std::size_t i = 0; i < deployment_.programs.size(); ++i) {
      homes_.tiers.emplace_back(deployment_.programs[i].program.tensors.size());
      if (deployment_.programs[i].layers > 0) add_loads(i, loads);
    }
    for (std::size_t i = 0; i < loads.size(); ++i) put_down(ChipId(i), std::move(loads[i]));
    return std::move(homes_);
  }

 private:
  const Tensor& tensor_of(std::size_t program, TensorId id) const {
    return deployment_.programs[program].program.tensors[id.index()];
  }
  const Tensor& tensor_of(const Load& load) const { return tensor_of(load.program, load.tensor); }

  // What has bytes of its own, is no carried state, and is not in SRAM.
  void add_loads(std::size_t index, std::vector<std::vector<Load>>& loads) const {
    const DeployedProgram& deployed = deployment_.programs[index];
    const Demand& demand = demand_.programs[index];
    const auto& tables = demand_.tables[index];
    const LiveRange all = {0, std::max<Step>(deployed.program.phases.size(), 1)};
    std::vector<bool> is_table(deployed.program.tensors.size(), false);
    for (const TensorId table : tables) is_table[table.index()] = true;
    for (std::size_t i = 0; i < is_table.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = deployed.program.tensors[i];
      const bool is_carried = tensor.kind == TensorKind::State && !is_table[i];
      if (is_carried || demand[id].root != id || tensor.bytes == Bytes(0) || !demand[id].life) {
        continue;
      }
      const bool takes_turns = is_table[i] || tensor.kind == TensorKind::Intermediate;
      const bool on_chip = plan_.programs[index].on_chip[i] && !forced_out_.contains({index, id});
      if (takes_turns && on_chip) continue;
      const auto padded =
          checked_round_up(tensor.bytes, target_.chips[tensor.chip.index()].alignment);
      const std::uint64_t rows = tensor.kind == TensorKind::Weight ? deployed.layers : 1;
      const auto held = padded ? checked_multiply(*padded, rows) : std::nullopt;
      loads[tensor.chip.index()].push_back({index, id, held.value_or(Bytes(UINT64_MAX)),
                                            demand[id].moved, is_table[i] ? all : *demand[id].life,
                                            takes_turns});
    }
  }

  void put_down(ChipId chip, std::vector<Load> loads) {
    std::ranges::stable_sort(loads, [](const Load& a, const Load& b) {
      const Wide first = Wide(a.moved.count()) * b.held.count();
      const Wide second = Wide(b.moved.count()) * a.held.count();
      if (first != second) return first > second;
      return std::tuple(a.held, a.program, a.tensor) < std::tuple(b.held, b.program, b.tensor);
    });
    const Chip& it = target_.chips[chip.index()];
    Bytes needed = fill(chip, loads, false);
    if (it.dram && needed > *it.dram) needed = fill(chip, loads, true);
    for (const Load& load : loads) homes_.tiers[load.program][load.tensor.index()] = load.tier;
    if (it.dram && needed > *it.dram) note_overflow(chip, loads, needed);
  }

  // Gives each its tier; and says what the DRAM must hold then. `at_once`: the HBM holds what lives
  // there at once, and not the sum of all.
  Bytes fill(ChipId chip, std::vector<Load>& loads, bool at_once) const {
    const Chip& it = target_.chips[chip.index()];
    const bool has_dram = !it.dram || *it.dram > Bytes(0);
    Memory hbm(deployment_.programs.size());
    Memory dram(deployment_.programs.size());
    for (const ClassResidency& state : plan_.classes) {
      if (state.state.chip != chip || state.tier == Tier::Sram) continue;
      const auto each = checked_round_up(state.state.bytes, it.alignment);
      const std::uint64_t below = state.state.instances - state.on_chip();
      (state.tier == Tier::Hbm ? hbm : dram)
          .add_lasting(each ? checked_multiply(*each, below) : std::nullopt);
    }
    Bytes flash_left = it.flash;
    for (Load& load : loads) {
      const Tensor& tensor = tensor_of(load);
      const bool in_dram = tensor.tier == Tier::Dram && has_dram;
      const bool may_be_read_in_place = tensor.kind == TensorKind::Weight && !in_dram &&
                                        !(tensor.tier == Tier::Hbm && it.hbm > Bytes(0)) &&
                                        it.flash > Bytes(0);
      if (may_be_read_in_place && load.held <= flash_left) {
        load.tier = Tier::Flash;
        flash_left -= load.held;
        continue;
      }
      const Bytes with = at_once ? hbm.with(load) : sum(hbm.taken(), load.held);
      const bool in_hbm = !in_dram && it.hbm > Bytes(0) && with <= it.hbm;
      load.tier = in_hbm ? Tier::Hbm : Tier::Dram;
      if (in_hbm && !at_once) {
        hbm.add_lasting(load.held);
      } else {
        (in_hbm ? hbm : dram).add(load);
      }
    }
    return dram.taken();
  }

  void note_overflow(ChipId chip, const std::vector<Load>& loads, Bytes needed) {
    const Bytes available = *target_.chips[chip.index()].dram;
    const bool is_missing = available == Bytes(0);
    Obstacle obstacle{.kind = is_missing ? Obstacle::Kind::NoMemory : Obstacle::Kind::DramFull,
                      .chip = chip,
                      .needed = needed,
                      .available = available};
    for (const ClassResidency& it : plan_.classes) {
      if (it.state.chip != chip || it.tier != Tier::Dram || it.on_chip() == it.state.instances) {
        continue;
      }
      if (it.state.bytes == Bytes(0)) continue;
      obstacle.names.push_back(it.state.program + "." + it.state.tensor);
    }
    for (const Load& load : loads) {
      if (load.tier != Tier::Dram) continue;
      obstacle.names.push_back(deployment_.programs[load.program].name + "." +
                               tensor_of(load).name);
    }
    homes_.obstacles.push_back(std::move(obstacle));
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentDemand& demand_;
  const Residency& plan_;
  const ForcedOut& forced_out_;
  Homes homes_;
};

}  // namespace

ForcedOut forced_out_of(const ResidencyAnswer& answer) {
  ForcedOut forced;
  for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
    for (const Layout& layout : answer.layouts[i]) {
      for (const TensorId tensor : layout.forced_out) forced.emplace(i, tensor);
    }
  }
  return forced;
}

Homes homes_below(const Deployment& deployment, const Target& target,
                  const DeploymentDemand& demand, const Residency& plan,
                  const ForcedOut& forced_out) {
  return Finder(deployment, target, demand, plan, forced_out).find();
}

void put_home_obstacles(Residency& plan, const Deployment& deployment, const Target& target,
                        const DeploymentDemand& demand, const ForcedOut& forced_out) {
  using Kind = Obstacle::Kind;
  std::erase_if(plan.obstacles, [](const Obstacle& it) {
    return it.kind == Kind::DramFull || it.kind == Kind::NoMemory;
  });
  auto found = homes_below(deployment, target, demand, plan, forced_out).obstacles;
  plan.obstacles.insert(plan.obstacles.end(), found.begin(), found.end());
}

std::vector<Tier> homes_of(const Deployment& deployment, const Target& target,
                           const DeploymentLives& lives, const DeploymentDemand& demand,
                           const ResidencyAnswer& answer) {
  const Homes homes = homes_below(deployment, target, demand, answer.plan, forced_out_of(answer));
  std::map<std::pair<std::string, std::string>, const ClassResidency*> classes;
  for (const ClassResidency& it : answer.plan.classes) {
    classes[{it.state.program, it.state.tensor}] = &it;
  }
  std::vector<Tier> tiers;
  for (const StoredTensor& row : lives.tensors) {
    const DeployedProgram& deployed = deployment.programs[row.program];
    if (row.as == StoredAs::State) {
      const auto& name = deployed.program.tensors[row.tensor.index()].name;
      const ClassResidency& it = *classes.at({deployed.name, name});
      tiers.push_back(row.layer < it.on_chip() ? Tier::Sram : it.tier);
    } else {
      tiers.push_back(homes.tiers[row.program][row.tensor.index()].value_or(Tier::Sram));
    }
  }
  return tiers;
}

}  // namespace berth
