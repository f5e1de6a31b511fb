#include "berth/reside/best.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "berth/reside/homes.h"
#include "berth/reside/stretches.h"

namespace berth {
namespace {

std::size_t phases_of(const Program& program) {
  return std::max<std::size_t>(program.phases.size(), 1);
}

Bytes less(Bytes from, Bytes what) {
  return from < what ? Bytes(0) : from - what;
}

class Builder {
 public:
  Builder(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
          Split split, Lives lives)
      : deployment_(deployment), target_(target), demand_(demand), split_(split), lives_(lives) {}

  ChipChoice build(ChipId chip) {
    result_ = ChipChoice{.chip = chip};
    const Bytes sram = target_.chips[chip.index()].sram();
    const Bytes usable = less(sram, demand_.reserve[chip.index()]);
    for (std::size_t i = 0; i < deployment_.programs.size(); ++i) add_program(i, usable);
    if (deployment_.programs.empty()) result_.choice.capacity.push_back(usable);
    for (std::size_t i = 0; i < demand_.classes.size(); ++i) add_state(i);
    if (lives_ == Lives::Cut) cut_lives();
    return std::move(result_);
  }

 private:
  void add_program(std::size_t index, Bytes usable) {
    const DeployedProgram& deployed = deployment_.programs[index];
    const Program& program = deployed.program;
    const Demand& demand = demand_.programs[index];
    const Step first = result_.choice.capacity.size();
    starts_.push_back(first);
    const LiveRange all = {first, first + phases_of(program)};
    for (const Bytes load : fixed_load(program, demand)) {
      result_.choice.capacity.push_back(less(usable, load));
    }
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const TensorId tensor(i);
      const Tensor& it = program.tensors[i];
      if (it.chip != result_.chip || !may_leave(program, target_, demand, tensor)) continue;
      const LiveRange life = *demand[tensor].life;
      add({deployed.name,
           it.name,
           {first + life.lower, first + life.upper},
           it.bytes,
           *checked_multiply(demand[tensor].moved, deployed.layers)},
          {ChipChoice::Kind::Intermediate, index, i});
    }
    const auto& tables = demand_.tables[index];
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const Tensor& it = program.tensors[tables[i].index()];
      if (it.chip != result_.chip || it.host) continue;
      add({deployed.name, it.name, all, it.bytes,
           *checked_multiply(demand[tables[i]].moved, deployed.layers)},
          {ChipChoice::Kind::Table, index, i});
    }
  }

  // By phase: the buffers, the scratch, and what must stay.
  std::vector<Bytes> fixed_load(const Program& program, const Demand& demand) const {
    const std::size_t chip = result_.chip.index();
    std::vector<Bytes> load(phases_of(program), demand.buffers[chip]);
    for (const auto& [phase, bytes] : demand.scratch[chip]) load[phase] += bytes;
    std::vector<Bytes> begins(load.size() + 1);
    std::vector<Bytes> ends(load.size() + 1);
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const TensorId tensor(i);
      if (program.tensors[i].chip != result_.chip) continue;
      if (!must_stay(program, target_, demand, tensor)) continue;
      begins[demand[tensor].life->lower] += program.tensors[i].bytes;
      ends[demand[tensor].life->upper] += program.tensors[i].bytes;
    }
    Bytes live;
    for (std::size_t phase = 0; phase < load.size(); ++phase) {
      live -= ends[phase];
      live += begins[phase];
      load[phase] += live;
    }
    return load;
  }

  void add_state(std::size_t index) {
    const StateClass& state = demand_.classes[index];
    if (state.chip != result_.chip || state.host) return;
    const bool apart = split_ == Split::Apart;
    add({state.program,
         state.tensor,
         {0, result_.choice.capacity.size()},
         apart ? state.bytes : state.held(),
         apart ? state.moved : state.moved_by_all(),
         apart ? state.instances : 1},
        {ChipChoice::Kind::State, 0, index});
  }

  // An intermediate that is live where not all fit becomes its stretches.
  void cut_lives() {
    const std::vector<bool> overflows = overflowing();
    std::vector<std::size_t> before = {0};  // overflowing phases, by phase
    for (const bool it : overflows) before.push_back(before.back() + (it ? 1 : 0));
    std::vector<std::vector<std::vector<TensorUse>>> uses(deployment_.programs.size());
    ChipChoice whole = std::exchange(result_, ChipChoice{.chip = result_.chip});
    result_.choice.capacity = std::move(whole.choice.capacity);
    for (std::size_t i = 0; i < whole.origins.size(); ++i) {
      const auto& origin = whole.origins[i];
      ChoiceItem& item = whole.choice.items[i];
      const bool is_tight = before[item.phases.lower] < before[item.phases.upper];
      if (origin.kind != ChipChoice::Kind::Intermediate || !is_tight || item.bytes == Bytes(0)) {
        add(std::move(item), origin);
        continue;
      }
      auto& of_program = uses[origin.program];
      if (of_program.empty()) {
        of_program = tensor_uses(deployment_.programs[origin.program].program,
                                 demand_.programs[origin.program]);
      }
      add_stretches(item, origin, cut_uses(of_program[origin.index]));
    }
  }

  // By phase, whether not all that may stay fits.
  std::vector<bool> overflowing() const {
    const auto& capacity = result_.choice.capacity;
    std::vector<Bytes> begins(capacity.size() + 1);
    std::vector<Bytes> ends(capacity.size() + 1);
    for (const ChoiceItem& item : result_.choice.items) {
      begins[item.phases.lower] += *checked_multiply(item.bytes, item.count);
      ends[item.phases.upper] += *checked_multiply(item.bytes, item.count);
    }
    std::vector<bool> result;
    Bytes load;
    for (Step phase = 0; phase < capacity.size(); ++phase) {
      load -= ends[phase];
      load += begins[phase];
      result.push_back(load > capacity[phase]);
    }
    return result;
  }

  void add_stretches(const ChoiceItem& whole, const ChipChoice::Origin& origin,
                     const std::vector<TensorUse>& uses) {
    const Step first = starts_[origin.program];
    const std::uint64_t layers = deployment_.programs[origin.program].layers;
    const Step turn = result_.choice.capacity.size();
    const auto stretches = stretches_of(uses, whole.bytes);
    if (stretches.size() == 1) return add(whole, origin);
    result_.choice.capacity.resize(turn + uses.size(), whole.bytes);
    for (const Stretch& it : stretches) {
      ChoiceItem item = whole;
      item.phases = {first + it.phases.lower, first + it.phases.upper};
      item.moved = *checked_multiply(it.saved, layers);
      item.turns = LiveRange{turn + it.first, turn + it.end};
      auto from = origin;
      if (it.end - it.first < uses.size()) from.stretch = KeptStretch{it.phases, it.saved};
      add(std::move(item), from);
    }
  }

  void add(ChoiceItem item, ChipChoice::Origin origin) {
    result_.choice.items.push_back(std::move(item));
    result_.origins.push_back(origin);
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentDemand& demand_;
  Split split_;
  Lives lives_;
  std::vector<Step> starts_;  // of the programs, on the choice's clock
  ChipChoice result_;
};

// What is kept, in the terms of the deployment.
struct Kept {
  Stay stay;
  std::vector<std::uint64_t> states;  // instances on chip, by class
};

auto name_of(const StateClass& state) {
  return std::tuple(state.program, state.tensor, state.chip);
}

// A plan of whole lives as a choice to begin with.
std::vector<std::uint64_t> start_of(const ChipChoice& chip, const DeploymentDemand& demand,
                                    const Residency& plan) {
  std::map<std::tuple<std::string, std::string, ChipId>, std::uint64_t> on_chip;
  for (const ClassResidency& it : plan.classes) on_chip[name_of(it.state)] = it.on_chip();
  std::vector<std::uint64_t> start;
  for (std::size_t i = 0; i < chip.origins.size(); ++i) {
    const auto& [kind, program, index, stretch] = chip.origins[i];
    switch (kind) {
      case ChipChoice::Kind::Intermediate:
        start.push_back(!stretch && plan.programs[program].on_chip[index] ? 1 : 0);
        break;
      case ChipChoice::Kind::Table:
        start.push_back(plan.programs[program].tables[index].on_chip ? 1 : 0);
        break;
      case ChipChoice::Kind::State: {
        const StateClass& state = demand.classes[index];
        const std::uint64_t kept = on_chip[name_of(state)];
        const bool is_apart = chip.choice.items[i].count == state.instances;
        start.push_back(is_apart ? kept : kept == state.instances ? 1 : 0);
        break;
      }
    }
  }
  return start;
}

// Nothing is on chip but what must stay.
Kept nothing_kept(const Deployment& deployment, const Target& target,
                  const DeploymentDemand& demand) {
  Kept kept;
  for (std::size_t p = 0; p < deployment.programs.size(); ++p) {
    const Program& program = deployment.programs[p].program;
    Activations activations = place_activations(program, target, demand.programs[p]);
    activations.spilled.clear();
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      activations.on_chip[i] = must_stay(program, target, demand.programs[p], TensorId(i));
    }
    kept.stay.activations.push_back(std::move(activations));
    kept.stay.tables_on_chip.emplace_back(demand.tables[p].size(), false);
  }
  kept.states.assign(demand.classes.size(), 0);
  return kept;
}

// Items of one tensor follow one another, and tensors of a chip stand in order; those of other
// chips may have come before.
std::vector<KeptStretch>& stretches_of_tensor(Activations& activations, const ChipChoice& chip,
                                              TensorId tensor) {
  auto at = std::ranges::lower_bound(activations.partly, tensor, {}, &PartlyKept::tensor);
  if (at == activations.partly.end() || at->tensor != tensor) {
    at = activations.partly.insert(at, {.tensor = tensor, .chip = chip.chip});
  }
  return at->stretches;
}

void put(const ChipChoice& chip, const std::vector<std::uint64_t>& times, Kept& kept,
         const DeploymentDemand& demand) {
  for (std::size_t i = 0; i < chip.origins.size(); ++i) {
    const auto& [kind, program, index, stretch] = chip.origins[i];
    switch (kind) {
      case ChipChoice::Kind::Intermediate:
        if (times[i] == 0) break;
        if (stretch) {
          stretches_of_tensor(kept.stay.activations[program], chip, TensorId(index))
              .push_back(*stretch);
        } else {
          kept.stay.activations[program].on_chip[index] = true;
        }
        break;
      case ChipChoice::Kind::Table:
        kept.stay.tables_on_chip[program][index] = times[i] > 0;
        break;
      case ChipChoice::Kind::State: {
        const bool is_whole = times[i] == chip.choice.items[i].count;
        kept.states[index] = is_whole ? demand.classes[index].instances : times[i];
        break;
      }
    }
  }
}

// What may leave and did, by tensor, and what comes back; views go with what they view.
void note_spills(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
                 Stay& stay) {
  for (std::size_t p = 0; p < deployment.programs.size(); ++p) {
    const Program& program = deployment.programs[p].program;
    const Demand& needs = demand.programs[p];
    Activations& activations = stay.activations[p];
    std::vector<bool> is_partly(program.tensors.size(), false);
    for (PartlyKept& it : activations.partly) {
      is_partly[it.tensor.index()] = true;
      it.tier = program.tensors[it.tensor.index()].tier;
      it.moved = needs[it.tensor].moved;
      for (const KeptStretch& stretch : it.stretches) it.moved -= stretch.saved;
    }
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const TensorId tensor(i);
      if (may_leave(program, target, needs, tensor) && !activations.on_chip[i] && !is_partly[i]) {
        const Tensor& it = program.tensors[i];
        activations.spilled.push_back(
            {tensor, it.chip, std::nullopt, Bytes(0), it.tier, needs[tensor].moved});
      }
      activations.on_chip[i] = activations.on_chip[needs[tensor].root.index()];
    }
  }
}

std::vector<ClassResidency> classes_of(const DeploymentDemand& demand, const Kept& kept) {
  std::vector<ClassResidency> classes;
  for (std::size_t i = 0; i < demand.classes.size(); ++i) {
    ClassResidency it{demand.classes[i]};
    const bool is_whole = kept.states[i] == it.state.instances;
    // A class of no instances stands where the rule has it: on a chip that holds tensors.
    if (is_whole && (kept.states[i] > 0)) it.tier = Tier::Sram;
    if (!is_whole) it.split = kept.states[i];
    classes.push_back(std::move(it));
  }
  std::ranges::stable_sort(classes, ranks_before, &ClassResidency::state);
  return classes;
}

}  // namespace

std::vector<ChipChoice> deployment_choices(const Deployment& deployment, const Target& target,
                                           const DeploymentDemand& demand, Split split,
                                           Lives lives) {
  std::vector<ChipChoice> choices;
  for (std::size_t chip = 0; chip < target.chips.size(); ++chip) {
    if (!holds_tensors_on_chip(target, ChipId(chip))) continue;
    choices.push_back(Builder(deployment, target, demand, split, lives).build(ChipId(chip)));
  }
  return choices;
}

BestPlan plan_best(const Deployment& deployment, const Target& target,
                   const DeploymentDemand& demand, const Residency& start,
                   const BestOptions& options) {
  BestPlan best;
  Kept kept = nothing_kept(deployment, target, demand);
  for (ChipChoice& chip :
       deployment_choices(deployment, target, demand, options.split, options.lives)) {
    Chosen chosen = choose_best(chip.choice, start_of(chip, demand, start), options.choose);
    put(chip, chosen.kept, kept, demand);
    best.nodes += chosen.nodes;
    best.certificates.push_back(
        {chip.chip, std::move(chip.choice), std::move(chosen.kept), std::move(chosen.prices)});
  }
  note_spills(deployment, target, demand, kept.stay);
  best.plan = compose_programs(deployment, target, demand, kept.stay, Running::OneAtATime);
  best.plan.policy = Policy::Best;
  put_states(best.plan, target, classes_of(demand, kept));
  put_home_obstacles(best.plan, deployment, target, demand);
  return best;
}

}  // namespace berth
