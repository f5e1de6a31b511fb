#include "berth/reside/tiers.h"

#include <algorithm>
#include <optional>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  // in a second

// Rounded up; more than 64 bits hold reads as the most that they do.
std::optional<std::uint64_t> time_of(Bytes bytes, std::optional<std::uint64_t> speed) {
  if (!speed || *speed == 0) return std::nullopt;
  const Wide time = (Wide(bytes.count()) * kNanoseconds + (*speed - 1)) / *speed;
  return static_cast<std::uint64_t>(std::min<Wide>(time, UINT64_MAX));
}

class Traffic {
 public:
  explicit Traffic(const Target& target) : target_(target), by_chip_(target.chips.size()) {}

  void add_declared(ChipId chip, std::optional<Tier> tier, Bytes bytes) {
    const Chip& it = target_.chips[chip.index()];
    const bool in_dram = tier == Tier::Dram && it.dram != Bytes(0);
    add(chip, it.hbm > Bytes(0) && !in_dram ? Tier::Hbm : Tier::Dram, bytes);
  }
  void add(ChipId chip, Tier tier, Bytes bytes) {
    TierTraffic& it = by_chip_[chip.index()];
    (tier == Tier::Hbm ? it.hbm : it.dram) += bytes;
  }

  std::vector<TierTraffic> take() && {
    for (std::size_t chip = 0; chip < by_chip_.size(); ++chip) {
      TierTraffic& it = by_chip_[chip];
      it.hbm_nanoseconds = time_of(it.hbm, target_.chips[chip].hbm_speed);
      it.dram_nanoseconds = time_of(it.dram, target_.chips[chip].dram_speed);
    }
    return std::move(by_chip_);
  }

 private:
  const Target& target_;
  std::vector<TierTraffic> by_chip_;
};

}  // namespace

std::vector<TierTraffic> traffic_by_tier(const Deployment& deployment, const Target& target,
                                         const Residency& plan) {
  Traffic traffic(target);
  for (std::size_t p = 0; p < plan.programs.size(); ++p) {
    const ProgramResidency& it = plan.programs[p];
    const Program& program = deployment.programs[p].program;
    for (const Spill& spill : it.spilled) {
      traffic.add_declared(spill.chip, spill.tier, *checked_multiply(spill.moved, it.layers));
    }
    for (const Unplaced& apart : it.apart) {
      traffic.add_declared(apart.chip, apart.tier, *checked_multiply(apart.moved, it.layers));
    }
    for (const PartlyKept& part : it.partly) {
      traffic.add_declared(part.chip, part.tier, *checked_multiply(part.moved, it.layers));
    }
    for (const TableResidency& table : it.tables) {
      if (table.on_chip) continue;
      traffic.add_declared(table.table.chip, program.tensors[table.tensor.index()].tier,
                           *checked_multiply(table.table.moved, it.layers));
    }
  }
  for (const ClassResidency& it : plan.classes) {
    traffic.add(it.state.chip, it.tier == Tier::Hbm ? Tier::Hbm : Tier::Dram,
                *checked_multiply(it.state.moved, it.state.instances - it.on_chip()));
  }
  return std::move(traffic).take();
}

}  // namespace berth
