#include "berth/certify/expected_choice.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::size_t kMostGaps = 15;

Bytes less(Bytes from, Bytes what) {
  return from < what ? Bytes(0) : from - what;
}

class Chooser {
 public:
  Chooser(const ChoiceSource& source, ChipId chip, Divided divided)
      : source_(source), chip_(chip), divided_(divided) {}

  Choice make() {
    Bytes usable = source_.target.chips[chip_.index()].sram();
    const auto& given = source_.deployment.given;
    if (given && chip_.index() < given->reserve.size()) {
      usable = less(usable, given->reserve[chip_.index()]);
    }
    for (std::size_t p = 0; p < source_.facts.size(); ++p) add_program(p, usable);
    if (source_.facts.empty()) choice_.capacity.push_back(usable);
    for (const StateClass& it : source_.carried) {
      if (it.chip != chip_ || it.host) continue;
      const bool apart = divided_.states;
      add({it.program,
           it.tensor,
           {0, choice_.capacity.size()},
           apart ? it.bytes : it.held(),
           apart ? it.moved : it.moved_by_all(),
           apart ? it.instances : 1},
          std::nullopt);
    }
    if (divided_.lives) divide_lives();
    return std::move(choice_);
  }

 private:
  // An intermediate that may leave: its program, where that begins, and its own number.
  struct Life {
    std::size_t program;
    Step begin;
    std::size_t tensor;
  };

  void add(ChoiceItem item, std::optional<Life> life) {
    choice_.items.push_back(std::move(item));
    lives_.push_back(life);
  }

  void add_program(std::size_t index, Bytes usable) {
    const DeployedProgram& deployed = source_.deployment.programs[index];
    const Program& program = deployed.program;
    const ProgramFacts& facts = source_.facts[index];
    const Step first = choice_.capacity.size();
    const std::size_t phases = std::max<std::size_t>(program.phases.size(), 1);
    std::vector<Bytes> begins(phases + 1);
    std::vector<Bytes> ends(phases + 1);
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
      const Tensor& tensor = program.tensors[i];
      if (tensor.chip != chip_) continue;
      if (facts.must_stay[i]) {
        begins[facts.life[i]->lower] += tensor.bytes;
        ends[facts.life[i]->upper] += tensor.bytes;
      }
      const bool is_table = source_.is_table[index][i] && !tensor.host;
      if (!facts.may_leave[i] && !is_table) continue;
      const LiveRange life = is_table ? LiveRange{0, phases} : *facts.life[i];
      add({deployed.name,
           tensor.name,
           {first + life.lower, first + life.upper},
           tensor.bytes,
           *checked_multiply(facts.moved[i], deployed.layers)},
          is_table ? std::nullopt : std::optional(Life{index, first, i}));
    }
    Bytes live = facts.buffers[chip_.index()];
    for (std::size_t phase = 0; phase < phases; ++phase) {
      live -= ends[phase];
      live += begins[phase];
      const Bytes scratch =
          phase < program.phases.size() ? facts.scratch[chip_.index()][phase] : Bytes(0);
      choice_.capacity.push_back(less(usable, live + scratch));
    }
  }

  void divide_lives() {
    const std::set<Step> tight = tight_phases();
    const auto whole = std::exchange(choice_.items, {});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto next = tight.lower_bound(whole[i].phases.lower);
      const bool is_tight = next != tight.end() && *next < whole[i].phases.upper;
      if (!lives_[i] || !is_tight || whole[i].bytes == Bytes(0)) {
        choice_.items.push_back(whole[i]);
      } else {
        divide(whole[i], *lives_[i]);
      }
    }
  }

  // Where what may stay does not all fit.
  std::set<Step> tight_phases() const {
    std::vector<Wide> change(choice_.capacity.size() + 1, 0);
    for (const ChoiceItem& item : choice_.items) {
      const Wide bytes = Wide(item.bytes.count()) * item.count;
      change[item.phases.lower] += bytes;
      change[item.phases.upper] -= bytes;
    }
    std::set<Step> tight;
    Wide load = 0;
    for (Step phase = 0; phase < choice_.capacity.size(); ++phase) {
      load += change[phase];
      if (load > choice_.capacity[phase].count()) tight.insert(tight.end(), phase);
    }
    return tight;
  }

  // The uses before which the life may be cut, and the end.
  static std::vector<std::size_t> cuts_of(const std::vector<ProgramFacts::Use>& uses) {
    std::vector<std::pair<Step, std::size_t>> gaps;  // what the longest is first of
    for (std::size_t i = 1; i < uses.size(); ++i) {
      gaps.emplace_back(uses[i].phases.lower - uses[i - 1].phases.upper, i);
    }
    std::ranges::sort(gaps, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    gaps.resize(std::min(gaps.size(), kMostGaps));
    std::vector<std::size_t> cuts = {0, uses.size()};
    for (const auto& [length, use] : gaps) cuts.push_back(use);
    std::ranges::sort(cuts);
    return cuts;
  }

  void divide(const ChoiceItem& whole, const Life& life) {
    const auto& uses = source_.facts[life.program].uses[life.tensor];
    const auto cuts = cuts_of(uses);
    const std::uint64_t layers = source_.deployment.programs[life.program].layers;
    const Step turn = choice_.capacity.size();
    std::vector<ChoiceItem> parts;
    for (std::size_t from = 0; from + 1 < cuts.size(); ++from) {
      for (std::size_t to = from + 1; to < cuts.size(); ++to) {
        const LiveRange phases = {uses[cuts[from]].phases.lower, uses[cuts[to] - 1].phases.upper};
        const auto saved = saved_in(uses, whole.bytes, phases);
        if (!saved || (*saved == Bytes(0) && to - from + 1 < cuts.size())) continue;
        parts.push_back(whole);
        parts.back().phases = {life.begin + phases.lower, life.begin + phases.upper};
        parts.back().moved = *checked_multiply(*saved, layers);
        parts.back().turns = LiveRange{turn + from, turn + to};
      }
    }
    if (parts.size() == 1) {
      choice_.items.push_back(whole);
      return;
    }
    choice_.capacity.resize(turn + cuts.size() - 1, whole.bytes);
    std::ranges::move(parts, std::back_inserter(choice_.items));
  }

  const ChoiceSource& source_;
  ChipId chip_;
  Divided divided_;
  Choice choice_;
  std::vector<std::optional<Life>> lives_;  // by item, while lives are whole
};

}  // namespace

Choice expected_choice(const ChoiceSource& source, ChipId chip, Divided divided) {
  return Chooser(source, chip, divided).make();
}

}  // namespace berth
