#include "berth/certify/residency_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "berth/base/text.h"
#include "berth/certify/expected_choice.h"
#include "berth/certify/program_facts.h"
#include "berth/certify/residency_layout.h"
#include "berth/certify/residency_reasons.h"
#include "berth/certify/residency_rooms.h"
#include "berth/certify/residency_rule.h"

namespace berth {
namespace {

auto key_of(const ChoiceItem& item) {
  const auto [phases, turns] = item.ranges();
  return std::tuple(item.program, item.tensor, phases.lower, phases.upper, item.bytes, item.moved,
                    item.count, turns.lower, turns.upper);
}

bool is_before(const LiveRange& a, const LiveRange& b) {
  return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
}

class Comparison {
 public:
  Comparison(const ResidencyClaim& claim, const SourceFacts& source)
      : claim_(claim),
        source_(source),
        deployment_(source.deployment),
        target_(source.target),
        facts_(source.facts),
        is_table_(source.is_table) {}

  std::vector<std::string> find() {
    if (claim_.chips.size() != target_.chips.size() ||
        claim_.programs.size() != deployment_.programs.size()) {
      fault("it is of {} chips and {} programs, the input of {} and {}", claim_.chips.size(),
            claim_.programs.size(), target_.chips.size(), deployment_.programs.size());
      return std::move(faults_);
    }
    if (claim_.deployment && *claim_.deployment != deployment_.name) {
      fault("it is of the deployment {}, the input is {}", printable(*claim_.deployment),
            printable(deployment_.name));
    }
    for (std::size_t i = 0; i < facts_.size(); ++i) compare_program(i);
    compare_chips();
    compare_classes();
    compare_totals();
    compare_choices();
    return std::move(faults_);
  }

 private:
  template <typename... Arguments>
  void fault(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    faults_.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }

  // An intermediate that no SRAM can hold.
  bool is_unplaced(std::size_t index, std::size_t tensor) const {
    const ProgramFacts& facts = facts_[index];
    return source_.program(index).tensors[tensor].kind == TensorKind::Intermediate &&
           facts.root[tensor] == tensor && !facts.may_leave[tensor] && !facts.must_stay[tensor];
  }
  bool is_table(std::size_t index, std::size_t tensor) const { return is_table_[index][tensor]; }

  // The tensors that are named, of those that may be; a name that is none of them, or stands twice,
  // is a fault.
  template <typename May>
  std::set<std::size_t> named(std::size_t index, const std::vector<std::string>& names,
                              std::string_view what, const May& may) {
    const Program& program = deployment_.programs[index].program;
    std::map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (may(i)) known.emplace(program.tensors[i].name, i);
    }
    std::set<std::size_t> found;
    for (const std::string& name : names) {
      const auto at = known.find(name);
      if (at != known.end() && found.insert(at->second).second) continue;
      fault("program {}: {} is named as {}, which it cannot be, or twice", printable(program.name),
            printable(name), what);
    }
    return found;
  }

  void compare_program(std::size_t index) {
    const DeployedProgram& deployed = deployment_.programs[index];
    const Program& program = deployed.program;
    const ProgramFacts& facts = facts_[index];
    const ProgramClaim& claim = claim_.programs[index];
    if (claim.name != deployed.name || claim.layers != deployed.layers) {
      fault("programs[{}]: it is {} with {} layers, the input has {} with {}", index,
            printable(claim.name), claim.layers, printable(deployed.name), deployed.layers);
    }
    std::vector<std::string> names;
    for (const SpillClaim& it : claim.spilled) names.push_back(it.tensor);
    spilled_.push_back(
        named(index, names, "spilled", [&](std::size_t i) { return bool(facts.may_leave[i]); }));
    compare_partly(index);
    tables_.push_back(named(index, claim.tables, "a table on chip", [&](std::size_t i) {
      return is_table(index, i) && !program.tensors[i].host &&
             chip_holds_tensors(target_, program.tensors[i].chip);
    }));
    Bytes traffic;
    for (const std::size_t i : spilled_.back()) traffic += facts.moved[i];
    for (const auto& [i, stretches] : partly_.back()) {
      Bytes moved = facts.moved[i];
      for (const LiveRange stretch : stretches) {
        moved -= saved_in(facts.uses[i], program.tensors[i].bytes, stretch).value_or(Bytes(0));
      }
      traffic += moved;
      const Bytes told = told_moved_.at({index, i});
      if (told == moved) continue;
      fault("program {}: {}, partly on chip, moves {} bytes a run, not {}", printable(claim.name),
            printable(program.tensors[i].name), moved.count(), told.count());
    }
    Bytes unplaced;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      if (is_unplaced(index, i)) unplaced += facts.moved[i];
    }
    if (claim.traffic != traffic || claim.unplaced != unplaced) {
      fault(
          "program {}: what is spilled moves {} bytes a run and what is unplaced {}, not {} and {}",
          printable(claim.name), traffic.count(), unplaced.count(), claim.traffic.count(),
          claim.unplaced.count());
    }
    for (std::size_t chip = 0; chip < target_.chips.size(); ++chip) compare_footprint(index, chip);
  }

  // Who stays for parts of its life: between uses of it, one after another.
  void compare_partly(std::size_t index) {
    const Program& program = deployment_.programs[index].program;
    const ProgramFacts& facts = facts_[index];
    std::vector<std::string> names;
    for (const PartlyClaim& it : claim_.programs[index].partly) names.push_back(it.tensor);
    const auto known = named(index, names, "partly on chip", [&](std::size_t i) {
      return facts.may_leave[i] && !spilled_.back().contains(i);
    });
    auto& partly = partly_.emplace_back();
    for (const PartlyClaim& it : claim_.programs[index].partly) {
      const auto at = source_.find(index, it.tensor);
      if (!at || !known.contains(*at) ||
          !told_moved_.emplace(std::pair(index, *at), it.moved).second) {
        continue;
      }
      partly[*at];  // also of one with no stretch at all
      if (it.stretches.empty()) {
        fault("program {}: {} is partly on chip, for no phases", printable(program.name),
              printable(it.tensor));
      }
      Step end = 0;
      for (const LiveRange stretch : it.stretches) {
        const auto saved = saved_in(facts.uses[*at], program.tensors[*at].bytes, stretch);
        if (stretch.lower >= end && saved) {
          partly[*at].push_back(stretch);
          end = stretch.upper;
          continue;
        }
        fault("program {}: {} cannot be in SRAM for phases {} to {}", printable(program.name),
              printable(it.tensor), stretch.lower, stretch.upper);
      }
    }
  }

  // The phases for which a tensor that may leave is in SRAM.
  std::vector<LiveRange> stays_in(std::size_t index, std::size_t tensor) const {
    if (spilled_[index].contains(tensor)) return {};
    const auto part = partly_[index].find(tensor);
    if (part != partly_[index].end()) return part->second;
    return {*facts_[index].life[tensor]};
  }

  // What is kept, added up phase by phase.
  void compare_footprint(std::size_t index, std::size_t chip) {
    const Program& program = deployment_.programs[index].program;
    const ProgramFacts& facts = facts_[index];
    const ProgramClaim& claim = claim_.programs[index];
    std::vector<Bytes> begins(program.phases.size() + 1);
    std::vector<Bytes> ends(begins.size());
    Bytes tables;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const Tensor& tensor = program.tensors[i];
      if (tensor.chip.index() != chip) continue;
      if (tables_[index].contains(i)) tables += tensor.bytes;
      if (!facts.must_stay[i] && !facts.may_leave[i]) continue;
      for (const LiveRange life : stays_in(index, i)) {
        begins[life.lower] += tensor.bytes;
        ends[life.upper] += tensor.bytes;
      }
    }
    Bytes live;
    Bytes peak;
    for (std::size_t phase = 0; phase < program.phases.size(); ++phase) {
      live -= ends[phase];
      live += begins[phase];
      peak = std::max(peak, live + facts.scratch[chip][phase]);
    }
    const Bytes footprint = facts.buffers[chip] + peak;
    if (claim.buffer_footprint[chip] != facts.raw_buffers[chip] ||
        claim.sram_footprint[chip] != footprint) {
      fault(
          "program {}: on chip {} its buffers take {} bytes and with what stays it takes {}, not "
          "{} and {}",
          printable(claim.name), chip, facts.raw_buffers[chip].count(), footprint.count(),
          claim.buffer_footprint[chip].count(), claim.sram_footprint[chip].count());
    }
    taken_[{index, chip}] = footprint + tables;
  }

  void compare_chips() {
    for (std::size_t chip = 0; chip < claim_.chips.size(); ++chip) {
      Bytes most;
      Bytes sum;
      if (deployment_.given && chip < deployment_.given->reserve.size()) {
        most = sum = deployment_.given->reserve[chip];
      }
      for (std::size_t i = 0; i < facts_.size(); ++i) {
        most = std::max(most, taken_[{i, chip}]);
        sum += taken_[{i, chip}];
      }
      const ChipResidency& it = claim_.chips[chip];
      const Bytes reserve = claim_.concurrent ? sum : most;
      if (it.sram != target_.chips[chip].sram() || it.reserve != reserve) {
        fault("chip {}: its SRAM is {} and programs reserve {} of it, not {} and {}", chip,
              target_.chips[chip].sram().count(), reserve.count(), it.sram.count(),
              it.reserve.count());
      }
    }
  }

  void compare_classes() {
    using Name = std::tuple<std::string, std::string, ChipId>;
    std::map<Name, StateClass> expected;
    for (const StateClass& it : source_.carried) {
      expected.emplace(Name{it.program, it.tensor, it.chip}, it);
    }
    std::vector<Bytes> hbm(target_.chips.size());
    std::vector<Bytes> dram(target_.chips.size());
    for (const ClassResidency& placed : claim_.classes) {
      const auto found =
          expected.find({placed.state.program, placed.state.tensor, placed.state.chip});
      const std::string name = printable(placed.state.program + "." + placed.state.tensor);
      if (found == expected.end()) {
        fault("class {} is not one of the input's, or stands twice", name);
        continue;
      }
      const StateClass state = std::move(found->second);
      expected.erase(found);
      if (placed.state.instances != state.instances || placed.state.bytes != state.bytes ||
          placed.state.moved != state.moved) {
        fault("class {}: {} instances of {} bytes that move {}, the input says {}, {} and {}", name,
              placed.state.instances, placed.state.bytes.count(), placed.state.moved.count(),
              state.instances, state.bytes.count(), state.moved.count());
        continue;
      }
      const Bytes declared =
          source_.declared_bytes.at({placed.state.program, placed.state.tensor, placed.state.chip});
      if (placed.declared.value_or(placed.state.bytes) != declared) {
        fault("class {}: an instance has {} bytes, not {}", name, declared.count(),
              placed.declared.value_or(placed.state.bytes).count());
      }
      const std::size_t chip = state.chip.index();
      if (placed.on_chip() > 0 && (state.host || !chip_holds_tensors(target_, state.chip))) {
        fault("class {} is in SRAM, where it cannot be", name);
      }
      const Bytes below = *checked_multiply(state.bytes, state.instances - placed.on_chip());
      if (placed.tier != Tier::Sram) (placed.tier == Tier::Hbm ? hbm : dram)[chip] += below;
    }
    for (const auto& [name, state] : expected) {
      fault("class {}.{} of the input is missing", printable(state.program),
            printable(state.tensor));
    }
    for (std::size_t chip = 0; chip < hbm.size(); ++chip)
      compare_tiers(chip, hbm[chip], dram[chip]);
  }

  void compare_tiers(std::size_t chip, Bytes hbm, Bytes dram) {
    const Chip& it = target_.chips[chip];
    if (hbm > it.hbm) {
      fault("chip {}: states of {} bytes are in an HBM of {}", chip, hbm.count(), it.hbm.count());
    }
    if (claim_.feasible && it.dram && dram > *it.dram) {
      fault("chip {}: states of {} bytes are in a DRAM of {}", chip, dram.count(),
            it.dram->count());
    }
  }

  void compare_totals() {
    Bytes nothing_kept;
    Bytes tables;
    for (std::size_t p = 0; p < facts_.size(); ++p) {
      const DeployedProgram& deployed = deployment_.programs[p];
      for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
        const Bytes moved = *checked_multiply(facts_[p].moved[i], deployed.layers);
        if (facts_[p].may_leave[i] || is_unplaced(p, i)) nothing_kept += moved;
        if (!is_table(p, i)) continue;
        nothing_kept += moved;
        if (!tables_[p].contains(i)) tables += moved;
      }
    }
    for (const StateClass& it : source_.carried) nothing_kept += it.moved_by_all();
    if (claim_.nothing_kept != nothing_kept || claim_.parts.tables != tables) {
      fault("with nothing kept {} bytes move a step, and of tables {}, not {} and {}",
            nothing_kept.count(), tables.count(), claim_.nothing_kept.count(),
            claim_.parts.tables.count());
    }
  }

  void compare_choices() {
    const ChoiceSource source{deployment_, target_, facts_, is_table_, source_.carried};
    for (std::size_t i = 0; i < target_.chips.size(); ++i) {
      const ChipId chip(i);
      const auto certificate = std::ranges::find(claim_.certificates, chip, &ChipCertificate::chip);
      const bool is_there = certificate != claim_.certificates.end();
      if (is_there != chip_holds_tensors(target_, chip)) {
        fault("chip {} {} a certificate", i, is_there ? "holds no tensors, and has" : "has not");
      }
      if (!is_there) continue;
      const Choice choice = with_owners(certificate->choice);
      const bool is_expected = std::ranges::any_of(
          std::initializer_list<Divided>{
              {false, false}, {true, false}, {false, true}, {true, true}},
          [&](Divided divided) { return is_same(choice, expected_choice(source, chip, divided)); });
      if (!is_expected) {
        fault("chip {}: the items and capacities of its certificate are not those of the input", i);
      } else if (claim_.policy == Policy::Best) {
        compare_kept(chip, choice, certificate->kept);
      }
    }
  }

  // Items in any order.
  static bool is_same(const Choice& claimed, Choice expected) {
    if (claimed.capacity != expected.capacity) return false;
    std::vector<ChoiceItem> items = claimed.items;
    std::ranges::sort(items, {}, key_of);
    std::ranges::sort(expected.items, {}, key_of);
    return items == expected.items;
  }

  // Of an older file, whose items bear joined names.
  Choice with_owners(const Choice& choice) const {
    OwnerNames names;
    for (const DeployedProgram& it : deployment_.programs) {
      for (const Tensor& tensor : it.program.tensors) names.emplace_back(it.name, tensor.name);
    }
    if (deployment_.given) {
      for (const StateClass& it : source_.carried) names.emplace_back(it.program, it.tensor);
    }
    std::ranges::sort(names);  // a class may be on several chips
    names.erase(std::ranges::unique(names).begin(), names.end());
    Choice owned = choice;
    find_owners(owned, names);
    return owned;
  }

  // What the best plan has in SRAM, and for which phases, the certificate keeps, and nothing else.
  void compare_kept(ChipId chip, const Choice& choice, const std::vector<std::uint64_t>& times) {
    std::map<std::pair<std::string, std::string>, std::vector<LiveRange>> kept;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const ChoiceItem& item = choice.items[i];
      if (times[i] > 0) kept[{item.program, item.tensor}].push_back(item.phases);
    }
    for (auto& [name, phases] : kept) std::ranges::sort(phases, is_before);
    Step first = 0;
    for (std::size_t p = 0; p < facts_.size(); ++p) {
      const DeployedProgram& deployed = deployment_.programs[p];
      const Step phases = std::max<Step>(deployed.program.phases.size(), 1);
      for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
        const Tensor& tensor = deployed.program.tensors[i];
        const bool is_here =
            tensor.chip == chip && !tensor.host && (facts_[p].may_leave[i] || is_table(p, i));
        if (!is_here) continue;
        std::vector<LiveRange> stays;
        if (facts_[p].may_leave[i]) stays = stays_in(p, i);
        if (tables_[p].contains(i)) stays = {{0, phases}};
        for (LiveRange& range : stays) range = {first + range.lower, first + range.upper};
        if (stays == kept[{deployed.name, tensor.name}]) continue;
        fault("{}.{} is {}, which the certificate says otherwise", printable(deployed.name),
              printable(tensor.name), stays.empty() ? "off chip" : "on chip");
      }
      first += phases;
    }
  }

  const ResidencyClaim& claim_;
  const SourceFacts& source_;
  const Deployment& deployment_;
  const Target& target_;
  const std::vector<ProgramFacts>& facts_;          // by program
  const std::vector<std::vector<bool>>& is_table_;  // by program, by TensorId
  std::vector<std::set<std::size_t>> spilled_;      // by program, as claimed
  std::vector<std::map<std::size_t, std::vector<LiveRange>>> partly_;
  std::map<std::pair<std::size_t, std::size_t>, Bytes> told_moved_;  // of those, by program
  std::vector<std::set<std::size_t>> tables_;
  std::map<std::pair<std::size_t, std::size_t>, Bytes> taken_;  // by program and chip
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> compare_residency(const ResidencyClaim& claim, const SourceFacts& source) {
  auto faults = Comparison(claim, source).find();
  // What explains a plan is of interest where the plan is this input's.
  if (!faults.empty()) return faults;
  for (const auto& find : {compare_policy, compare_reasons, compare_layouts, compare_rooms}) {
    const auto more = find(claim, source);
    faults.insert(faults.end(), more.begin(), more.end());
  }
  return faults;
}

}  // namespace berth
