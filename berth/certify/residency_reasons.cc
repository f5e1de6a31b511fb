#include "berth/certify/residency_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "berth/base/text.h"
#include "berth/certify/rule_again.h"

namespace berth {
namespace {

constexpr std::size_t kBeside = 8;
constexpr std::uint64_t kMostWork = 1'000'000'000;  // phases and tensors looked at

class Reasons {
 public:
  Reasons(const ResidencyClaim& claim, const SourceFacts& source)
      : claim_(claim), source_(source) {}

  std::vector<std::string> find() {
    for (index_ = 0; index_ < claim_.programs.size(); ++index_) {
      find_stays();
      if (claim_.policy == Policy::Rule) {
        judge_rule();
      } else {
        judge_best();
      }
    }
    return std::move(faults_);
  }

 private:
  const ProgramClaim& told() const { return claim_.programs[index_]; }
  const Program& program() const { return source_.program(index_); }
  const ProgramFacts& facts() const { return source_.facts[index_]; }
  Bytes bytes_of(std::size_t tensor) const { return program().tensors[tensor].bytes; }

  template <typename Value>
  void compare(const std::string& tensor, const char* what, const std::optional<Value>& claimed,
               const std::optional<Value>& made) {
    if (!claimed || claimed == made) return;
    faults_.push_back(fmt::format("program {}: what it says of {} ({}) is not so",
                                  printable(told().name), printable(tensor), what));
  }

  // What any policy says.
  void compare_tensor(const std::string& name, const ReasonClaim& why, std::size_t tensor) {
    const Tensor& declared = source_.declared.programs[index_].program.tensors[tensor];
    compare(name, "chip", why.chip, std::optional<std::uint64_t>(declared.chip.index()));
    compare(name, "bytes", why.bytes, std::optional(declared.bytes));
  }

  void compare_beside(const std::string& name, const ReasonClaim& why,
                      const std::vector<std::size_t>& beside, std::size_t more) {
    std::vector<std::string> names;
    for (const std::size_t tensor : beside) names.push_back(program().tensors[tensor].name);
    compare(name, "beside", why.beside, std::optional(names));
    compare(name, "more_beside", why.more_beside, std::optional<std::uint64_t>(more));
  }

  void judge_rule() {
    std::map<std::size_t, PushedOut> out;
    for (std::size_t chip = 0; chip < claim_.chips.size(); ++chip) {
      for (PushedOut& it : rule_on_chip(source_, index_, chip, claim_.chips[chip].sram).out) {
        out.emplace(it.tensor, std::move(it));
      }
    }
    for (const SpillClaim& it : told().spilled) {
      const std::size_t tensor = *source_.find(index_, it.tensor);
      const auto found = out.find(tensor);
      if (found == out.end()) continue;  // that is said elsewhere
      const PushedOut& made = found->second;
      compare_tensor(it.tensor, it.why, tensor);
      compare(it.tensor, "phase", it.why.phase, std::optional(made.phase));
      compare(it.tensor, "tightest_phase", it.why.tightest_phase, std::optional<Step>());
      compare(it.tensor, "short_by", it.why.short_by, std::optional(made.short_by));
      compare_beside(it.tensor, it.why, made.beside, made.more_beside);
      judge_stays_from(it, tensor);
    }
  }

  void judge_stays_from(const SpillClaim& it, std::size_t tensor) {
    if (!it.why.stays_from) return;
    const std::size_t chip = program().tensors[tensor].chip.index();
    auto& least = stays_from_[{index_, chip}];
    if (!least) {
      std::vector<std::size_t> tensors;
      for (const SpillClaim& other : told().spilled) {
        const std::size_t id = *source_.find(index_, other.tensor);
        const bool is_here = program().tensors[id].chip.index() == chip;
        if (is_here && other.why.stays_from) tensors.push_back(id);
      }
      least = stays_from_again(source_, index_, chip, tensors, claim_.chips[chip].sram);
    }
    const auto found = least->find(tensor);
    compare(it.tensor, "stays_from", it.why.stays_from,
            found == least->end() ? std::nullopt : std::optional(found->second));
  }

  // Where each tensor is in SRAM, under the plan.
  void find_stays() {
    stays_.assign(program().tensors.size(), {});
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      if (facts().may_leave[i] || facts().must_stay[i]) stays_[i] = {*facts().life[i]};
    }
    for (const SpillClaim& it : told().spilled) stays_[*source_.find(index_, it.tensor)].clear();
    for (const PartlyClaim& it : told().partly) {
      stays_[*source_.find(index_, it.tensor)] = it.stretches;
    }
  }

  void judge_best() {
    rooms_.clear();
    for (const SpillClaim& it : told().spilled) {
      const std::size_t tensor = *source_.find(index_, it.tensor);
      judge_away(it.tensor, it.why, tensor, {*facts().life[tensor]});
    }
    for (const PartlyClaim& it : told().partly) {
      const std::size_t tensor = *source_.find(index_, it.tensor);
      judge_away(it.tensor, it.why, tensor, away_of(tensor));
    }
  }

  // The phases of its life for which it is not in SRAM; all of it where it never leaves.
  std::vector<LiveRange> away_of(std::size_t tensor) const {
    const LiveRange life = *facts().life[tensor];
    std::vector<LiveRange> away;
    Step at = life.lower;
    for (const LiveRange stretch : stays_[tensor]) {
      if (at < stretch.lower) away.push_back({at, stretch.lower});
      at = stretch.upper;
    }
    if (at < life.upper) away.push_back({at, life.upper});
    if (away.empty()) away.push_back(life);
    return away;
  }

  void judge_away(const std::string& name, const ReasonClaim& why, std::size_t tensor,
                  const std::vector<LiveRange>& away) {
    compare_tensor(name, why, tensor);
    compare(name, "phase", why.phase, std::optional<Step>());
    compare(name, "stays_from", why.stays_from, std::optional<Bytes>());
    const bool says = why.tightest_phase || why.short_by || why.beside || why.more_beside;
    if (!says) return;
    work_ += program().tensors.size() + program().phases.size();
    if (work_ > kMostWork) {
      if (!std::exchange(is_cut_, true))
        faults_.emplace_back("it gives more reasons than are judged");
      return;
    }
    const std::size_t chip = program().tensors[tensor].chip.index();
    const auto& room = room_on(chip);
    std::optional<Step> tightest;
    for (const LiveRange range : away) {
      for (Step phase = range.lower; phase < range.upper; ++phase) {
        if (!tightest || room[phase] < room[*tightest]) tightest = phase;
      }
    }
    const Bytes left = room[*tightest];
    compare(name, "tightest_phase", why.tightest_phase, tightest);
    compare(name, "short_by", why.short_by,
            std::optional(bytes_of(tensor) < left ? Bytes(0) : bytes_of(tensor) - left));
    std::vector<std::size_t> beside = live_at(*tightest, chip, tensor);
    const std::size_t more = beside.size() - std::min(beside.size(), kBeside);
    beside.resize(beside.size() - more);
    compare_beside(name, why, beside, more);
  }

  // Who is in SRAM at the phase, the largest first.
  std::vector<std::size_t> live_at(Step phase, std::size_t chip, std::size_t without) const {
    std::vector<std::size_t> live;
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      const bool is_other =
          i != without && program().tensors[i].chip.index() == chip && bytes_of(i) > Bytes(0);
      const bool is_there = std::ranges::any_of(
          stays_[i], [&](const LiveRange& range) { return range.contains(phase); });
      if (is_other && is_there) live.push_back(i);
    }
    std::ranges::sort(live, [&](std::size_t a, std::size_t b) {
      return bytes_of(a) != bytes_of(b) ? bytes_of(a) > bytes_of(b) : a < b;
    });
    return live;
  }

  // What the plan leaves of the chip, phase by phase.
  const std::vector<Bytes>& room_on(std::size_t chip) {
    auto [found, is_new] = rooms_.emplace(chip, std::vector<Bytes>());
    if (!is_new) return found->second;
    const std::size_t phases = program().phases.size();
    std::vector<Bytes> more(phases + 1);
    std::vector<Bytes> fewer(phases + 1);
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      if (program().tensors[i].chip.index() != chip) continue;
      for (const LiveRange range : stays_[i]) {
        more[range.lower] += bytes_of(i);
        fewer[range.upper] += bytes_of(i);
      }
    }
    Bytes held = facts().buffers[chip] + claim_.chips[chip].states;
    for (const std::string& name : told().tables) {
      const std::size_t table = *source_.find(index_, name);
      if (program().tensors[table].chip.index() == chip) held += bytes_of(table);
    }
    const Bytes sram = claim_.chips[chip].sram;
    for (Step phase = 0; phase < phases; ++phase) {
      held -= fewer[phase];
      held += more[phase];
      const auto all = checked_add(held, facts().scratch[chip][phase]);
      found->second.push_back(!all || *all > sram ? Bytes(0) : sram - *all);
    }
    return found->second;
  }

  const ResidencyClaim& claim_;
  const SourceFacts& source_;
  std::size_t index_ = 0;
  std::vector<std::vector<LiveRange>> stays_;        // by TensorId, of the program at hand
  std::map<std::size_t, std::vector<Bytes>> rooms_;  // by chip, by phase, of it
  std::map<std::pair<std::size_t, std::size_t>, std::optional<std::map<std::size_t, Bytes>>>
      stays_from_;  // by program and chip
  std::uint64_t work_ = 0;
  bool is_cut_ = false;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> compare_reasons(const ResidencyClaim& claim, const SourceFacts& source) {
  return Reasons(claim, source).find();
}

}  // namespace berth
