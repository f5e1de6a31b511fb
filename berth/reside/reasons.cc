#include "berth/reside/reasons.h"

#include <algorithm>
#include <utility>

#include "berth/reside/sweep.h"

namespace berth {
namespace {

constexpr std::size_t kNamed = 8;              // of those live beside a spill
constexpr std::uint64_t kWork = 20'000'000;    // tensors and phases looked at, in all
constexpr std::uint64_t kSweepWork = 400'000;  // tensors placed again to find where one stays

class ProgramReasons {
 public:
  ProgramReasons(const DeployedProgram& deployed, const Target& target, const Demand& demand,
                 const ProgramResidency& kept, const Residency& plan)
      : program_(deployed.program), target_(target), demand_(demand), kept_(kept), plan_(plan) {
    left_at_.assign(program_.tensors.size(), kNever);
    for (std::size_t i = 0; i < kept.spilled.size(); ++i) {
      left_at_[kept.spilled[i].tensor.index()] = i;
    }
    partly_.assign(program_.tensors.size(), nullptr);
    for (const PartlyKept& it : kept.partly) partly_[it.tensor.index()] = &it;
  }

  std::vector<SpillReason> find(std::uint64_t& work) {
    std::vector<SpillReason> reasons;
    const std::uint64_t each = program_.tensors.size() + program_.phases.size();
    for (std::size_t i = 0; i < kept_.spilled.size() && work >= each; ++i) {
      work -= each;
      const Spill& spill = kept_.spilled[i];
      reasons.push_back(plan_.policy == Policy::Rule
                            ? by_rule(i)
                            : by_best(spill, {*demand_[spill.tensor].life}));
    }
    return reasons;
  }

  std::vector<SpillReason> find_away(std::uint64_t& work) {
    std::vector<SpillReason> reasons;
    const std::uint64_t each = program_.tensors.size() + program_.phases.size();
    for (std::size_t i = 0; i < kept_.partly.size() && work >= each; ++i) {
      work -= each;
      const PartlyKept& it = kept_.partly[i];
      reasons.push_back(by_best({.tensor = it.tensor, .chip = it.chip}, away(it)));
    }
    return reasons;
  }

 private:
  static constexpr std::size_t kNever = SIZE_MAX;

  SpillReason by_rule(std::size_t index) const {
    const Spill& spill = kept_.spilled[index];
    SpillReason reason{.phase = *spill.phase, .short_by = spill.short_by};
    put_beside(reason, spill, [&](std::size_t i) { return left_at_[i] > index; });
    return reason;
  }

  // The phases of its life for which it is not in SRAM; all of it where it never leaves.
  std::vector<LiveRange> away(const PartlyKept& it) const {
    const LiveRange life = *demand_[it.tensor].life;
    std::vector<LiveRange> away;
    Step from = life.lower;
    for (const KeptStretch& stretch : it.stretches) {
      if (from < stretch.phases.lower) away.push_back({from, stretch.phases.lower});
      from = stretch.phases.upper;
    }
    if (from < life.upper) away.push_back({from, life.upper});
    return away.empty() ? std::vector{life} : away;
  }

  // `out`: the phases for which it is off chip.
  SpillReason by_best(const Spill& spill, const std::vector<LiveRange>& out) {
    const auto& room = room_on(spill.chip);
    auto least = room.begin() + static_cast<std::ptrdiff_t>(out[0].lower);
    for (const LiveRange phases : out) {
      const auto begin = room.begin() + static_cast<std::ptrdiff_t>(phases.lower);
      const auto here =
          std::min_element(begin, room.begin() + static_cast<std::ptrdiff_t>(phases.upper));
      if (*here < *least) least = here;
    }
    const Bytes bytes = program_.tensors[spill.tensor.index()].bytes;
    SpillReason reason{.phase = static_cast<Step>(least - room.begin()),
                       .short_by = bytes < *least ? Bytes(0) : bytes - *least};
    put_beside(reason, spill, [&](std::size_t i) {
      if (partly_[i] == nullptr) return left_at_[i] == kNever;
      return std::ranges::any_of(partly_[i]->stretches, [&](const KeptStretch& stretch) {
        return stretch.phases.contains(reason.phase);
      });
    });
    return reason;
  }

  // Those that are live at the reason's phase on the spill's chip, itself left out.
  template <typename Held>
  void put_beside(SpillReason& reason, const Spill& spill, const Held& is_held) const {
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = program_.tensors[i];
      const bool is_other = tensor.chip == spill.chip && id != spill.tensor && is_held(i) &&
                            tensor.bytes > Bytes(0) && demand_[id].life &&
                            demand_[id].life->contains(reason.phase);
      if (!is_other) continue;
      if (may_leave(program_, target_, demand_, id) || must_stay(program_, target_, demand_, id)) {
        reason.beside.push_back(id);
      }
    }
    std::ranges::stable_sort(reason.beside, [&](TensorId a, TensorId b) {
      return program_.tensors[a.index()].bytes > program_.tensors[b.index()].bytes;
    });
    if (reason.beside.size() <= kNamed) return;
    reason.more_beside = reason.beside.size() - kNamed;
    reason.beside.resize(kNamed);
  }

  // By phase, what the plan leaves of the chip while this program runs.
  const std::vector<Bytes>& room_on(ChipId chip) {
    if (!room_.empty() && chip == room_chip_) return room_;
    room_chip_ = chip;
    const ChipResidency& it = plan_.chips[chip.index()];
    Bytes held = demand_.buffers[chip.index()] + it.states;
    for (const TableResidency& table : kept_.tables) {
      if (table.on_chip && table.table.chip == chip) held += table.table.bytes;
    }
    std::vector<Bytes> begins(program_.phases.size() + 1);
    std::vector<Bytes> ends(begins.size());
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
      const TensorId id(i);
      const Tensor& tensor = program_.tensors[i];
      const bool is_kept = tensor.chip == chip && tensor.kind == TensorKind::Intermediate &&
                           demand_[id].root == id && kept_.on_chip[i] && demand_[id].life;
      if (!is_kept) continue;
      begins[demand_[id].life->lower] += tensor.bytes;
      ends[demand_[id].life->upper] += tensor.bytes;
    }
    for (const PartlyKept& part : kept_.partly) {
      if (part.chip != chip) continue;
      for (const KeptStretch& stretch : part.stretches) {
        begins[stretch.phases.lower] += program_.tensors[part.tensor.index()].bytes;
        ends[stretch.phases.upper] += program_.tensors[part.tensor.index()].bytes;
      }
    }
    for (const auto& [phase, bytes] : demand_.scratch[chip.index()]) {
      begins[phase] += bytes;
      ends[phase + 1] += bytes;
    }
    room_.clear();
    for (Step phase = 0; phase < program_.phases.size(); ++phase) {
      held -= ends[phase];
      held += begins[phase];
      room_.push_back(it.sram < held ? Bytes(0) : it.sram - held);
    }
    return room_;
  }

  const Program& program_;
  const Target& target_;
  const Demand& demand_;
  const ProgramResidency& kept_;
  const Residency& plan_;
  std::vector<std::size_t> left_at_;       // by TensorId, the place among the spills
  std::vector<const PartlyKept*> partly_;  // by TensorId
  ChipId room_chip_;
  std::vector<Bytes> room_;  // by phase, of room_chip_
};

void put_stays_from(std::vector<std::vector<SpillReason>>& reasons, const Deployment& deployment,
                    const Target& target, const DeploymentDemand& demand, const Residency& plan) {
  std::uint64_t tensors = 1;
  for (const DeployedProgram& it : deployment.programs) tensors += it.program.tensors.size();
  const std::size_t most = std::max<std::uint64_t>(1, kSweepWork / tensors);
  const auto least = stays_from(deployment, target, demand, plan, most);
  for (std::size_t p = 0; p < reasons.size(); ++p) {
    for (std::size_t i = 0; i < reasons[p].size(); ++i) reasons[p][i].stays_from = least[p][i];
  }
}

using Find = std::vector<SpillReason> (ProgramReasons::*)(std::uint64_t& work);

std::vector<std::vector<SpillReason>> reasons_of_each(const Deployment& deployment,
                                                      const Target& target,
                                                      const DeploymentDemand& demand,
                                                      const Residency& plan, Find find) {
  std::vector<std::vector<SpillReason>> reasons;
  std::uint64_t work = kWork;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    ProgramReasons program(deployment.programs[i], target, demand.programs[i], plan.programs[i],
                           plan);
    reasons.push_back((program.*find)(work));
  }
  return reasons;
}

}  // namespace

std::vector<std::vector<SpillReason>> spill_reasons(const Deployment& deployment,
                                                    const Target& target,
                                                    const DeploymentDemand& demand,
                                                    const Residency& plan) {
  auto reasons = reasons_of_each(deployment, target, demand, plan, &ProgramReasons::find);
  if (plan.policy == Policy::Rule) put_stays_from(reasons, deployment, target, demand, plan);
  return reasons;
}

std::vector<std::vector<SpillReason>> away_reasons(const Deployment& deployment,
                                                   const Target& target,
                                                   const DeploymentDemand& demand,
                                                   const Residency& plan) {
  return reasons_of_each(deployment, target, demand, plan, &ProgramReasons::find_away);
}

}  // namespace berth
