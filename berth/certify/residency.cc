#include "berth/certify/residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "berth/certify/prices.h"

namespace berth {
namespace {

class Judge {
 public:
  explicit Judge(const ResidencyClaim& claim) : claim_(claim) {}

  ResidencyVerdict judge() {
    judge_chips();
    judge_states();
    judge_certificates();
    judge_totals();
    return std::move(verdict_);
  }

 private:
  template <typename... Arguments>
  void fault(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    verdict_.faults.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  void judge_chips() {
    std::vector<Bytes> held(claim_.chips.size());
    for (const ClassResidency& it : claim_.classes) {
      held[it.state.chip.index()] += *checked_multiply(it.state.bytes, it.on_chip());
    }
    for (std::size_t chip = 0; chip < held.size(); ++chip) {
      const ChipResidency& it = claim_.chips[chip];
      if (it.states != held[chip]) {
        fault("chip {}: the classes in SRAM hold {} bytes, not {}", chip, held[chip].count(),
              it.states.count());
      }
      if (held[chip] > it.room()) {
        fault("chip {}: states of {} bytes, beside a reserve of {}, are more than its SRAM of {}",
              chip, held[chip].count(), it.reserve.count(), it.sram.count());
      }
      if (claim_.feasible && it.reserve > it.sram) {
        fault("chip {}: a reserve of {} bytes is more than its SRAM of {}", chip,
              it.reserve.count(), it.sram.count());
      }
    }
  }

  void judge_states() {
    Bytes moved;
    for (const ClassResidency& it : claim_.classes) {
      moved += *checked_multiply(it.state.moved, it.state.instances - it.on_chip());
    }
    if (moved != claim_.parts.states) {
      fault("the classes off chip move {} bytes a step, not {}", moved.count(),
            claim_.parts.states.count());
    }
  }

  void judge_certificates() {
    std::vector<bool> seen(claim_.chips.size(), false);
    for (const ChipCertificate& it : claim_.certificates) {
      const std::size_t chip = it.chip.index();
      if (seen[chip]) fault("chip {} has two certificates", chip);
      seen[chip] = true;
      const auto saved = saved_by(it.choice, it.kept);
      const auto prices = check_prices(it.choice, it.prices);
      if (!saved) fault("chip {}: what is kept does not fit", chip);
      if (const auto* wrong = std::get_if<PriceFault>(&prices)) {
        fault("chip {}: {}: {}", chip, wrong->where, wrong->message);
        continue;
      }
      const Bytes most = std::get<ProvedBound>(prices).saved;
      if (!saved || *saved > most) {
        fault("chip {}: what is kept saves more than the prices allow", chip);
        continue;
      }
      const auto sum = checked_add(more_, most - *saved);
      if (!sum) return fault("the certificates sum past 2^64 bytes");
      more_ = *sum;
      if (claim_.policy == Policy::Best) judge_kept(it);
    }
  }

  // A class is on chip as often as the certificate keeps it.
  void judge_kept(const ChipCertificate& it) {
    std::map<std::string, std::size_t> items;
    for (std::size_t i = 0; i < it.kept.size(); ++i) items.emplace(it.choice.items[i].name, i);
    for (const ClassResidency& placed : claim_.classes) {
      if (placed.state.chip != it.chip) continue;
      const auto found = items.find(placed.state.program + "." + placed.state.tensor);
      const std::uint64_t kept = found == items.end() ? 0 : it.kept[found->second];
      const std::uint64_t count = found == items.end() ? 1 : it.choice.items[found->second].count;
      const std::uint64_t instances = kept == count ? placed.state.instances : kept;
      if (found == items.end() && placed.on_chip() == 0) continue;
      if (placed.on_chip() == instances) continue;
      fault("{}.{}: {} of {} instances are on chip, the certificate keeps {}", placed.state.program,
            placed.state.tensor, placed.on_chip(), placed.state.instances, instances);
    }
  }

  void judge_totals() {
    const Bytes total = claim_.parts.total();
    const Bytes claimed = claim_.policy == Policy::Best ? claim_.best : claim_.rule;
    if (total != claimed) {
      fault("the plan moves {} bytes a step off chip, not {}", total.count(), claimed.count());
    }
    if (claim_.best > claim_.rule) fault("the best moves more than the rule");
    if (more_ > claim_.best) {
      fault("the prices allow {} bytes more to be saved, of {}", more_.count(),
            claim_.best.count());
      return;
    }
    verdict_.bound = claim_.best - more_;
    if (claim_.bound > verdict_.bound) {
      fault("the bound of {} is not proved: the prices prove {}", claim_.bound.count(),
            verdict_.bound.count());
    }
  }

  const ResidencyClaim& claim_;
  ResidencyVerdict verdict_;
  Bytes more_;  // that the prices allow to be saved beyond what is kept
};

}  // namespace

ResidencyVerdict check_residency(const ResidencyClaim& claim) {
  return Judge(claim).judge();
}

}  // namespace berth
