#include "berth/certify/rule_again.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kBeside = 8;
constexpr std::size_t kMostWork = 2'000'000;  // tensors looked at to find where some stay

// What is live in the SRAM at the phase at hand.
class Live {
 public:
  Live(const Program& program, const ProgramFacts& facts) : program_(program), facts_(facts) {}

  void add(std::size_t tensor) {
    load_ += bytes_of(tensor);
    if (bytes_of(tensor) == Bytes(0)) return;
    by_size_.insert({Bytes(UINT64_MAX) - bytes_of(tensor), tensor});
    if (facts_.may_leave[tensor]) by_turn_.insert(turn_of(tensor));
  }
  void remove(std::size_t tensor) {
    load_ -= bytes_of(tensor);
    by_size_.erase({Bytes(UINT64_MAX) - bytes_of(tensor), tensor});
    by_turn_.erase(turn_of(tensor));
  }
  Bytes load() const { return load_; }
  // Whose last use is furthest away; then the largest; then the first.
  std::optional<std::size_t> victim() const {
    if (by_turn_.empty()) return std::nullopt;
    return std::get<2>(*by_turn_.begin());
  }
  void name_beside(PushedOut& out) const {
    for (const auto& [size, tensor] : by_size_) {
      if (tensor == out.tensor) continue;
      if (out.beside.size() == kBeside) break;
      out.beside.push_back(tensor);
    }
    const std::size_t others = by_size_.size() - (by_size_.empty() ? 0 : 1);
    out.more_beside = others - out.beside.size();
  }

 private:
  using Turn = std::tuple<Step, Bytes, std::size_t>;
  Bytes bytes_of(std::size_t tensor) const { return program_.tensors[tensor].bytes; }
  Turn turn_of(std::size_t tensor) const {
    return {UINT64_MAX - facts_.life[tensor]->upper, Bytes(UINT64_MAX) - bytes_of(tensor), tensor};
  }

  const Program& program_;
  const ProgramFacts& facts_;
  Bytes load_;
  std::set<std::pair<Bytes, std::size_t>> by_size_;
  std::set<Turn> by_turn_;
};

}  // namespace

RuleOnChip rule_on_chip(const SourceFacts& source, std::size_t index, std::size_t chip,
                        Bytes sram) {
  const Program& program = source.program(index);
  const ProgramFacts& facts = source.facts[index];
  const std::size_t phases = program.phases.size();
  std::vector<std::vector<std::size_t>> begins(phases);
  std::vector<std::vector<std::size_t>> ends(phases + 1);
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const bool is_here =
        program.tensors[i].chip.index() == chip && (facts.may_leave[i] || facts.must_stay[i]);
    if (!is_here) continue;
    begins[facts.life[i]->lower].push_back(i);
    ends[facts.life[i]->upper].push_back(i);
  }
  const Bytes buffers = facts.buffers[chip];
  const Bytes room = sram < buffers ? Bytes(0) : sram - buffers;
  RuleOnChip result;
  Live live(program, facts);
  std::vector<bool> is_out(program.tensors.size(), false);
  for (Step phase = 0; phase < phases; ++phase) {
    for (const std::size_t tensor : ends[phase]) {
      if (!is_out[tensor]) live.remove(tensor);
    }
    for (const std::size_t tensor : begins[phase]) live.add(tensor);
    const Bytes scratch = facts.scratch[chip][phase];
    for (auto victim = live.victim(); live.load() + scratch > room && victim;
         victim = live.victim()) {
      PushedOut out{*victim, phase, live.load() + scratch - room, {}, 0};
      live.name_beside(out);
      live.remove(*victim);
      is_out[*victim] = true;
      result.out.push_back(std::move(out));
    }
  }
  // Who leaves does so for its whole life, so that only now it is known what stays when.
  Bytes load;
  Bytes peak;
  for (Step phase = 0; phase < phases; ++phase) {
    for (const std::size_t tensor : ends[phase]) {
      if (!is_out[tensor]) load -= program.tensors[tensor].bytes;
    }
    for (const std::size_t tensor : begins[phase]) {
      if (!is_out[tensor]) load += program.tensors[tensor].bytes;
    }
    peak = std::max(peak, load + facts.scratch[chip][phase]);
  }
  result.footprint = buffers + peak;
  return result;
}

std::map<std::size_t, Bytes> stays_from_again(const SourceFacts& source, std::size_t program,
                                              std::size_t chip,
                                              const std::vector<std::size_t>& tensors, Bytes sram) {
  const Bytes buffers = source.facts[program].buffers[chip];
  const std::size_t each = 1 + source.program(program).tensors.size();
  std::map<std::size_t, Bytes> least;
  for (std::size_t i = 0; i < 2 + kMostWork / each && least.size() < tensors.size(); ++i) {
    const auto out = rule_on_chip(source, program, chip, sram).out;
    std::set<std::size_t> is_out;
    // Nothing changes until the least of what was missing is there.
    std::optional<Bytes> next;
    for (const PushedOut& it : out) {
      is_out.insert(it.tensor);
      const auto needs = checked_add(std::max(sram, buffers), it.short_by);
      if (needs && (!next || *needs < *next)) next = needs;
    }
    for (const std::size_t tensor : tensors) {
      if (i > 0 && !is_out.contains(tensor)) least.emplace(tensor, sram);
    }
    if (!next) break;
    sram = *next;
  }
  return least;
}

bool comes_first(const StateClass& a, const StateClass& b) {
  const auto name = [](const StateClass& it) { return std::tie(it.program, it.tensor, it.chip); };
  if (a.bytes == Bytes(0) || b.bytes == Bytes(0)) {
    if (a.bytes != b.bytes) return a.bytes == Bytes(0);
    return name(a) < name(b);
  }
  const Wide left = Wide(a.moved.count()) * b.bytes.count();
  const Wide right = Wide(b.moved.count()) * a.bytes.count();
  const Wide holds_a = Wide(a.bytes.count()) * a.instances;
  const Wide holds_b = Wide(b.bytes.count()) * b.instances;
  return left != right ? left > right : std::pair(holds_a, name(a)) < std::pair(holds_b, name(b));
}

std::vector<Tier> tiers_below(const Target& target, const std::vector<ClassResidency>& classes) {
  std::vector<Bytes> used(target.chips.size());
  std::vector<Tier> tiers;
  for (const ClassResidency& it : classes) {
    const std::size_t chip = it.state.chip.index();
    if (it.tier == Tier::Sram) {
      tiers.push_back(Tier::Sram);
      continue;
    }
    const Bytes bytes = *checked_multiply(it.state.bytes, it.state.instances - it.split);
    const auto with = checked_add(used[chip], bytes);
    const Bytes hbm = target.chips[chip].hbm;
    const bool fits = hbm > Bytes(0) && with && *with <= hbm;
    if (fits) used[chip] = *with;
    tiers.push_back(fits ? Tier::Hbm : Tier::Dram);
  }
  return tiers;
}

namespace {

class Again {
 public:
  Again(const SourceFacts& source, bool concurrent) : source_(source), concurrent_(concurrent) {
    for (std::size_t chip = 0; chip < source.target.chips.size(); ++chip) {
      const auto& given = source.deployment.given;
      const bool is_given = given && chip < given->reserve.size();
      reserve_.push_back(is_given ? given->reserve[chip] : Bytes(0));
    }
  }

  RuleAgain make() {
    for (std::size_t p = 0; p < source_.facts.size(); ++p) add_program(p);
    add_states();
    return std::move(rule_);
  }

 private:
  void add_program(std::size_t p) {
    const DeployedProgram& deployed = source_.deployment.programs[p];
    const ProgramFacts& facts = source_.facts[p];
    auto& out = rule_.out.emplace_back();
    std::vector<Bytes> taken;
    for (std::size_t chip = 0; chip < reserve_.size(); ++chip) {
      RuleOnChip here = rule_on_chip(source_, p, chip, sram(chip));
      for (PushedOut& it : here.out) {
        add_moved(facts.moved[it.tensor], deployed.layers);
        out.push_back(std::move(it));
      }
      taken.push_back(here.footprint);
    }
    for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
      if (is_unplaced(p, i)) add_moved(facts.moved[i], deployed.layers);
    }
    add_tables(p, taken);
    for (std::size_t chip = 0; chip < taken.size(); ++chip) {
      Bytes& reserve = reserve_[chip];
      reserve = concurrent_ ? reserve + taken[chip] : std::max(reserve, taken[chip]);
    }
  }

  bool is_unplaced(std::size_t p, std::size_t i) const {
    const ProgramFacts& facts = source_.facts[p];
    return source_.program(p).tensors[i].kind == TensorKind::Intermediate && facts.root[i] == i &&
           !facts.may_leave[i] && !facts.must_stay[i];
  }

  void add_tables(std::size_t p, std::vector<Bytes>& taken) {
    const DeployedProgram& deployed = source_.deployment.programs[p];
    std::vector<std::pair<StateClass, std::size_t>> tables;
    for (std::size_t i = 0; i < deployed.program.tensors.size(); ++i) {
      const Tensor& it = deployed.program.tensors[i];
      if (!source_.is_table[p][i]) continue;
      tables.push_back(
          {{deployed.name, it.name, it.chip, 1, it.bytes, source_.facts[p].moved[i], it.host}, i});
    }
    std::ranges::stable_sort(
        tables, [](const auto& a, const auto& b) { return comes_first(a.first, b.first); });
    auto& kept = rule_.tables.emplace_back();
    for (const auto& [table, tensor] : tables) {
      const std::size_t chip = table.chip.index();
      const bool stays =
          source_.holds_tensors(chip) && !table.host && taken[chip] + table.bytes <= sram(chip);
      if (stays) taken[chip] += table.bytes;
      if (stays) kept.push_back(tensor);
      if (!stays) add_moved(table.moved, deployed.layers);
    }
  }

  void add_states() {
    for (const StateClass& it : source_.carried) rule_.classes.push_back({it});
    std::ranges::stable_sort(rule_.classes, comes_first, &ClassResidency::state);
    std::vector<Bytes> held = reserve_;
    for (ClassResidency& it : rule_.classes) {
      const std::size_t chip = it.state.chip.index();
      const auto with = checked_add(held[chip], it.state.held());
      const bool stays = source_.holds_tensors(chip) && !it.state.host &&
                         (it.state.held() == Bytes(0) || (with && *with <= sram(chip)));
      it.tier = stays ? Tier::Sram : Tier::Dram;
      if (stays && with) held[chip] = *with;
      if (!stays) add_moved(it.state.moved, it.state.instances);
    }
    const auto tiers = tiers_below(source_.target, rule_.classes);
    for (std::size_t i = 0; i < tiers.size(); ++i) rule_.classes[i].tier = tiers[i];
  }

  Bytes sram(std::size_t chip) const { return source_.target.chips[chip].sram(); }
  void add_moved(Bytes moved, std::uint64_t times) {
    rule_.moved += *checked_multiply(moved, times);
  }

  const SourceFacts& source_;
  bool concurrent_;
  std::vector<Bytes> reserve_;  // by chip
  RuleAgain rule_;
};

}  // namespace

RuleAgain rule_again(const SourceFacts& source, bool concurrent) {
  return Again(source, concurrent).make();
}

}  // namespace berth
