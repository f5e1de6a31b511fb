#include "berth/reside/homes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

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
  std::vector<std::size_t> rows;
};

class Finder {
 public:
  Finder(const Deployment& deployment, const Target& target, const DeploymentLives& lives,
         const DeploymentDemand& demand, const ResidencyAnswer& answer)
      : deployment_(deployment),
        target_(target),
        lives_(lives),
        demand_(demand),
        plan_(answer.plan),
        tiers_(lives.tensors.size(), Tier::Dram) {
    for (const auto& program : plan_.programs) on_chip_.push_back(program.on_chip);
    for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
      for (const Layout& layout : answer.layouts[i]) {
        for (const TensorId tensor : layout.forced_out) on_chip_[i][tensor.index()] = false;
      }
    }
    for (const ClassResidency& it : plan_.classes) {
      classes_[{it.state.program, it.state.tensor}] = &it;
    }
  }

  std::vector<Tier> find() {
    std::vector<std::vector<Load>> loads(target_.chips.size());  // by chip: what goes down
    std::map<std::pair<std::size_t, TensorId>, std::size_t> at;
    for (std::size_t i = 0; i < lives_.tensors.size(); ++i) {
      const StoredTensor& row = lives_.tensors[i];
      const Tensor& tensor = tensor_of(row);
      if (row.as == StoredAs::State) {
        const ClassResidency& it = *classes_.at({program_of(row).name, tensor.name});
        tiers_[i] = row.layer < it.on_chip() ? Tier::Sram : it.tier;
        continue;
      }
      const bool may_stay = row.as == StoredAs::Arena || row.as == StoredAs::Table;
      if (may_stay && on_chip_[row.program][row.tensor.index()]) {
        tiers_[i] = Tier::Sram;
        continue;
      }
      auto& of_chip = loads[tensor.chip.index()];
      const auto [found, is_new] = at.emplace(std::pair(row.program, row.tensor), of_chip.size());
      if (is_new) of_chip.push_back({row.program, row.tensor, Bytes(0), moved_of(row), {}});
      Load& load = of_chip[found->second];
      load.rows.push_back(i);
      // Runs of one program take turns on an intermediate's bytes.
      if (is_new || row.as == StoredAs::Weight) load.held = sum(load.held, padded(tensor));
    }
    for (std::size_t chip = 0; chip < loads.size(); ++chip) {
      put_down(ChipId(chip), std::move(loads[chip]));
    }
    return std::move(tiers_);
  }

 private:
  const DeployedProgram& program_of(const StoredTensor& row) const {
    return deployment_.programs[row.program];
  }
  const Tensor& tensor_of(const StoredTensor& row) const {
    return program_of(row).program.tensors[row.tensor.index()];
  }
  Bytes moved_of(const StoredTensor& row) const {
    return demand_.programs[row.program][row.tensor].moved;
  }
  std::optional<Bytes> padded(const Tensor& tensor) const {
    return checked_round_up(tensor.bytes, target_.chips[tensor.chip.index()].alignment);
  }

  void put_down(ChipId chip, std::vector<Load> loads) {
    const Chip& it = target_.chips[chip.index()];
    std::ranges::stable_sort(loads, [](const Load& a, const Load& b) {
      const Wide first = Wide(a.moved.count()) * b.held.count();
      const Wide second = Wide(b.moved.count()) * a.held.count();
      if (first != second) return first > second;
      return std::tuple(a.held, a.program, a.tensor) < std::tuple(b.held, b.program, b.tensor);
    });
    Bytes left = it.hbm;
    for (const ClassResidency& state : plan_.classes) {
      if (state.state.chip != chip || state.tier != Tier::Hbm) continue;
      const auto each = checked_round_up(state.state.bytes, it.alignment);
      const std::uint64_t below = state.state.instances - state.on_chip();
      const auto held = each ? checked_multiply(*each, below) : std::nullopt;
      left = !held || left < *held ? Bytes(0) : left - *held;
    }
    for (const Load& load : loads) {
      const auto& tensor = deployment_.programs[load.program].program.tensors[load.tensor.index()];
      const bool in_hbm = tensor.tier != Tier::Dram && load.held <= left && it.hbm > Bytes(0);
      if (in_hbm) left -= load.held;
      for (const std::size_t row : load.rows) tiers_[row] = in_hbm ? Tier::Hbm : Tier::Dram;
    }
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentLives& lives_;
  const DeploymentDemand& demand_;
  const Residency& plan_;
  std::vector<std::vector<bool>> on_chip_;  // by program, by TensorId
  std::map<std::pair<std::string, std::string>, const ClassResidency*> classes_;
  std::vector<Tier> tiers_;
};

}  // namespace

std::vector<Tier> homes_of(const Deployment& deployment, const Target& target,
                           const DeploymentLives& lives, const DeploymentDemand& demand,
                           const ResidencyAnswer& answer) {
  return Finder(deployment, target, lives, demand, answer).find();
}

}  // namespace berth
