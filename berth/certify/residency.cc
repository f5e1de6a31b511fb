#include "berth/certify/residency.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "berth/base/text.h"
#include "berth/certify/prices.h"
#include "berth/certify/source_facts.h"

namespace berth {
namespace {

// Of a file, of a chip: some seconds.
constexpr std::uint64_t kMostWork = 400'000'000;

class Judge {
 public:
  explicit Judge(const ResidencyClaim& claim) : claim_(claim) {}

  ResidencyVerdict judge() {
    judge_chips();
    judge_programs();
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
    if (claim_.obstacles && claim_.feasible != claim_.obstacles->empty()) {
      fault("it says that the plan can{} be, and names {} obstacles", claim_.feasible ? "" : "not",
            claim_.obstacles->size());
    }
    std::vector<Bytes> held(claim_.chips.size());
    std::vector<BelowClaim> below(held.size(), {Bytes(0), Bytes(0)});
    for (const ClassResidency& it : claim_.classes) {
      const std::size_t chip = it.state.chip.index();
      held[chip] += *checked_multiply(it.state.bytes, it.on_chip());
      if (it.tier == Tier::Sram) continue;
      *(it.tier == Tier::Hbm ? below[chip].hbm : below[chip].dram) +=
          *checked_multiply(it.state.bytes, it.state.instances - it.on_chip());
    }
    for (std::size_t chip = 0; chip < below.size() && chip < claim_.below.size(); ++chip) {
      judge_below(chip, "HBM", *below[chip].hbm, claim_.below[chip].hbm);
      judge_below(chip, "DRAM", *below[chip].dram, claim_.below[chip].dram);
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

  void judge_below(std::size_t chip, const char* tier, Bytes held, std::optional<Bytes> claimed) {
    if (!claimed || *claimed == held) return;
    fault("chip {}: the classes in {} hold {} bytes, not {}", chip, tier, held.count(),
          claimed->count());
  }

  void judge_programs() {
    Bytes spilled;
    for (const ProgramClaim& it : claim_.programs) {
      const std::string name = printable(it.name);
      const auto traffic = checked_multiply(it.traffic, it.layers);
      const auto sum = traffic ? checked_add(spilled, *traffic) : std::nullopt;
      if (!sum) return fault("program {}: its layers move more than 2^64 bytes", name);
      spilled = *sum;
      for (std::size_t chip = 0; chip < claim_.chips.size(); ++chip) {
        const Bytes footprint = it.sram_footprint[chip];
        if (footprint < it.buffer_footprint[chip] || footprint > claim_.chips[chip].reserve) {
          fault("program {}: on chip {} it takes {} bytes, with buffers of {} and a reserve of {}",
                name, chip, footprint.count(), it.buffer_footprint[chip].count(),
                claim_.chips[chip].reserve.count());
        }
      }
    }
    Bytes unplaced;
    for (const ProgramClaim& it : claim_.programs) {
      const auto moved = checked_multiply(it.unplaced, it.layers);
      const auto sum = moved ? checked_add(unplaced, *moved) : std::nullopt;
      if (!sum)
        return fault("program {}: its layers move more than 2^64 bytes", printable(it.name));
      unplaced = *sum;
    }
    if (unplaced != claim_.parts.unplaced) {
      fault("what no SRAM can hold moves {} bytes a step, not {}", unplaced.count(),
            claim_.parts.unplaced.count());
    }
    if (spilled != claim_.parts.spilled) {
      fault("what programs spill moves {} bytes a step, not {}", spilled.count(),
            claim_.parts.spilled.count());
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
      const auto prices = check_prices(it.choice, it.prices, kMostWork);
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
      const auto sum = checked_add(most_, most);
      if (!sum) return fault("the certificates sum past 2^64 bytes");
      most_ = *sum;
      saved_ += *saved;
      if (claim_.policy == Policy::Best) judge_kept(it);
    }
  }

  // A class is on chip as often as the certificate keeps it.
  void judge_kept(const ChipCertificate& it) {
    OwnerNames names;
    for (const ClassResidency& placed : claim_.classes) {
      if (placed.state.chip == it.chip) {
        names.emplace_back(placed.state.program, placed.state.tensor);
      }
    }
    Choice owned = it.choice;
    find_owners(owned, names);
    std::map<std::pair<std::string, std::string>, std::size_t> items;
    for (std::size_t i = 0; i < it.kept.size(); ++i) {
      const ChoiceItem& item = owned.items[i];
      if (!item.is_joined) items.emplace(std::pair(item.program, item.tensor), i);
    }
    for (const ClassResidency& placed : claim_.classes) {
      if (placed.state.chip != it.chip) continue;
      const auto found = items.find({placed.state.program, placed.state.tensor});
      const std::uint64_t kept = found == items.end() ? 0 : it.kept[found->second];
      const std::uint64_t count = found == items.end() ? 1 : it.choice.items[found->second].count;
      const std::uint64_t instances = kept == count ? placed.state.instances : kept;
      if (found == items.end() && placed.on_chip() == 0) continue;
      if (placed.on_chip() == instances) continue;
      fault("{}: {} of {} instances are on chip, the certificate keeps {}",
            printable(placed.state.program + "." + placed.state.tensor), placed.on_chip(),
            placed.state.instances, instances);
    }
  }

  void judge_totals() {
    const Bytes total = claim_.parts.total();
    const Bytes claimed = claim_.policy == Policy::Best ? claim_.best : claim_.rule;
    if (total != claimed) {
      fault("the plan moves {} bytes a step off chip, not {}", total.count(), claimed.count());
    }
    if (claim_.best > claim_.rule) fault("the best moves more than the rule");
    if (claim_.best_of_whole && claim_.best > *claim_.best_of_whole) {
      fault("the best moves more than the best of whole lives");
    }
    if (claim_.best_of_whole && !claim_.concurrent && *claim_.best_of_whole > claim_.rule) {
      fault("the best of whole lives moves more than the rule");
    }
    if (most_ > claim_.nothing_kept) {
      fault("the prices allow {} bytes to be saved, of {}", most_.count(),
            claim_.nothing_kept.count());
      return;
    }
    // Programs at once have no best plan of their own.
    const Bytes best = claim_.nothing_kept - saved_;
    if (!claim_.concurrent && claim_.best != best) {
      fault("the best leaves {} bytes to be moved, not {}", best.count(), claim_.best.count());
    }
    verdict_.bound = claim_.nothing_kept - most_;
    if (claim_.bound > verdict_.bound) {
      fault("the bound of {} is not proved: the prices prove {}", claim_.bound.count(),
            verdict_.bound.count());
    }
  }

  const ResidencyClaim& claim_;
  ResidencyVerdict verdict_;
  Bytes most_;   // that the prices allow to be saved
  Bytes saved_;  // by what is kept
};

}  // namespace

ResidencyVerdict check_residency(const ResidencyClaim& claim) {
  return Judge(claim).judge();
}

}  // namespace berth
