#include "berth/pipeline/target_use.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "berth/lower/deployed_schedule.h"

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  // in a second

void add(Bytes& sum, Bytes more) {
  sum = checked_add(sum, more).value_or(Bytes(UINT64_MAX));
}

// Rounded up.
std::optional<std::uint64_t> time_of(Bytes bytes, std::optional<std::uint64_t> speed) {
  if (!speed || *speed == 0) return std::nullopt;
  const Wide time = (Wide(bytes.count()) * kNanoseconds + (*speed - 1)) / *speed;
  return static_cast<std::uint64_t>(std::min<Wide>(time, UINT64_MAX));
}

class Writer {
 public:
  Writer(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
         const ResidencyAnswer& answer, const DeploymentLives& lives, std::span<const Tier> tiers)
      : deployment_(deployment),
        target_(target),
        demand_(demand),
        answer_(answer),
        lives_(lives),
        tiers_(tiers) {
    for (std::size_t i = 0; i < lives.tensors.size(); ++i) {
      tier_of_.emplace(std::pair(lives.tensors[i].program, lives.tensors[i].tensor), tiers[i]);
    }
  }

  TargetUse write(const PlacedDeployment& placed) {
    TargetUse use{.name = target_.name, .tile = target_.tile, .policy = answer_.plan.policy};
    find_spilled(use);
    std::map<std::pair<ChipId, Tier>, Bytes> moved;
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const Bytes bytes = moved_by(lives_.tensors[i]);
      add(moved[{tensor_of(lives_.tensors[i]).chip, tiers_[i]}], bytes);
      if (tiers_[i] != Tier::Sram) add(part_of(lives_.tensors[i], use.off_chip), bytes);
    }
    for (std::size_t chip = 0; chip < target_.chips.size(); ++chip) {
      for (const Tier tier : {Tier::Sram, Tier::Hbm, Tier::Dram, Tier::Flash}) {
        add_tier(ChipId(chip), tier, moved[{ChipId(chip), tier}], placed, use);
      }
    }
    return use;
  }

 private:
  const Program& program_of(const StoredTensor& row) const {
    return deployment_.programs[row.program].program;
  }
  const Tensor& tensor_of(const StoredTensor& row) const {
    return program_of(row).tensors[row.tensor.index()];
  }

  // In a step: what all layers share is moved by each of them.
  Bytes moved_by(const StoredTensor& row) const {
    const Bytes once = demand_.programs[row.program][row.tensor].moved;
    if (row.as != StoredAs::Input && row.as != StoredAs::Output) return once;
    return checked_multiply(once, deployment_.programs[row.program].layers)
        .value_or(Bytes(UINT64_MAX));
  }

  Bytes& part_of(const StoredTensor& row, OffChipUse& off) const {
    switch (row.as) {
      case StoredAs::Arena:
        return spilled_.contains({row.program, row.tensor}) ? off.spilled : off.unplaced;
      case StoredAs::Table:
        return off.tables;
      case StoredAs::State:
        return off.states;
      case StoredAs::Weight:
        return off.weights;
      case StoredAs::Input:
      case StoredAs::Output:
        break;
    }
    return off.ends;
  }

  Tier tier_of(std::size_t program, TensorId tensor) const {
    const auto found = tier_of_.find({program, tensor});
    return found == tier_of_.end() ? Tier::Dram : found->second;  // else it is of no layers
  }

  void find_spilled(TargetUse& use) {
    for (std::size_t i = 0; i < answer_.plan.programs.size(); ++i) {
      for (const Spill& spill : answer_.plan.programs[i].spilled) {
        const bool is_pushed = spill.phase.has_value();
        add_spilled(use, i, spill.tensor,
                    is_pushed ? SpilledTensor::Why::PushedOut : SpilledTensor::Why::LessWorth);
        use.spilled.back().phase = spill.phase;
        if (is_pushed) use.spilled.back().short_by = spill.short_by;
      }
      if (i >= answer_.layouts.size()) continue;
      for (const Layout& layout : answer_.layouts[i]) {
        for (const TensorId tensor : layout.forced_out) {
          add_spilled(use, i, tensor, SpilledTensor::Why::NoLayout);
        }
      }
    }
  }

  void add_spilled(TargetUse& use, std::size_t program, TensorId id, SpilledTensor::Why why) {
    const Tensor& tensor = deployment_.programs[program].program.tensors[id.index()];
    spilled_[{program, id}] = true;
    use.spilled.push_back({.program = deployment_.programs[program].name,
                           .tensor = tensor.name,
                           .chip = tensor.chip,
                           .bytes = tensor.bytes,
                           .to = tier_of(program, id),
                           .why = why,
                           .moved = demand_.programs[program][id].moved});
  }

  void add_tier(ChipId chip, Tier tier, Bytes moved, const PlacedDeployment& placed,
                TargetUse& use) const {
    const Chip& it = target_.chips[chip.index()];
    TierUse row{.chip = chip, .tier = tier, .moved = moved};
    std::optional<std::uint64_t> speed = it.dram_speed;
    if (tier == Tier::Sram) {
      row.capacity = it.sram();
      speed = it.sram_speed;
    } else if (tier == Tier::Hbm) {
      row.capacity = it.hbm;
      speed = it.hbm_speed;
    } else if (tier == Tier::Flash) {
      row.capacity = it.flash;
      speed = it.flash_speed;
    } else {
      row.capacity = it.dram;
    }
    row.nanoseconds = time_of(moved, speed);
    const std::string name = device_name(chip, tier);
    const auto devices = placed.instance.devices();
    const auto device = std::ranges::find(devices, name, &Device::name);
    const bool is_used = device != devices.end();
    if (is_used) {
      const auto index = static_cast<std::size_t>(device - devices.begin());
      const ArenaFigures& figures = placed.packing.arenas[index];
      row.lasting = placed.lasting[index];
      row.used = figures.max_load;
      row.peak = figures.peak;
    }
    // What a chip does not have gets no row, and a DRAM that nobody limits only where it is used.
    const bool exists = row.capacity.has_value() && *row.capacity > Bytes(0);
    if (is_used || exists) use.tiers.push_back(std::move(row));
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentDemand& demand_;
  const ResidencyAnswer& answer_;
  const DeploymentLives& lives_;
  std::map<std::pair<std::size_t, TensorId>, Tier> tier_of_;  // of a tensor in its first layer
  std::span<const Tier> tiers_;
  std::map<std::pair<std::size_t, TensorId>, bool> spilled_;
};

}  // namespace

TargetUse target_use(const Deployment& deployment, const Target& target,
                     const DeploymentDemand& demand, const ResidencyAnswer& answer,
                     const DeploymentLives& lives, std::span<const Tier> tiers,
                     const PlacedDeployment& placed) {
  return Writer(deployment, target, demand, answer, lives, tiers).write(placed);
}

}  // namespace berth
