#include "berth/certify/residency_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/base/text.h"
#include "berth/certify/rule_again.h"

namespace berth {
namespace {

using Faults = std::vector<std::string>;

bool is_same_class(const ClassResidency& a, const ClassResidency& b) {
  return a.state.program == b.state.program && a.state.tensor == b.state.tensor &&
         a.state.chip == b.state.chip && a.tier == b.tier && a.split == b.split;
}

void compare_spills(const ResidencyClaim& claim, const SourceFacts& source, const RuleAgain& rule,
                    Faults& faults) {
  for (std::size_t p = 0; p < claim.programs.size(); ++p) {
    const ProgramClaim& it = claim.programs[p];
    const auto& tensors = source.program(p).tensors;
    const bool is_same = std::ranges::equal(it.spilled, rule.out[p],
                                            [&](const SpillClaim& told, const PushedOut& made) {
                                              return told.tensor == tensors[made.tensor].name;
                                            });
    if (!is_same) {
      faults.push_back(
          fmt::format("program {}: the rule pushes out {} tensors, others or in "
                      "another order than the {} that it names",
                      printable(it.name), rule.out[p].size(), it.spilled.size()));
    }
    if (!it.partly.empty()) {
      faults.push_back(fmt::format("program {}: by the rule no tensor stays for a part of its life",
                                   printable(it.name)));
    }
    const bool has_tables = std::ranges::equal(
        it.tables, rule.tables[p],
        [&](const std::string& told, std::size_t made) { return told == tensors[made].name; });
    if (!has_tables) {
      faults.push_back(
          fmt::format("program {}: the rule keeps {} tables, others or in another "
                      "order than the {} that it names",
                      printable(it.name), rule.tables[p].size(), it.tables.size()));
    }
  }
}

// States stand in rank order, and those below the SRAM in the first tier that has the room.
void compare_order(const ResidencyClaim& claim, const SourceFacts& source, Faults& faults) {
  const auto after = std::ranges::adjacent_find(
      claim.classes, [](const ClassResidency& a, const ClassResidency& b) {
        return comes_first(b.state, a.state);
      });
  if (after != claim.classes.end()) {
    faults.push_back(fmt::format("class {}.{} does not stand in rank order",
                                 printable(after->state.program), printable(after->state.tensor)));
    return;
  }
  const auto tiers = tiers_below(source.target, claim.classes);
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const ClassResidency& it = claim.classes[i];
    if (it.tier == tiers[i]) continue;
    faults.push_back(fmt::format("class {}.{} is in {}, its place is in {}",
                                 printable(it.state.program), printable(it.state.tensor),
                                 to_string(it.tier), to_string(tiers[i])));
  }
}

}  // namespace

std::vector<std::string> compare_policy(const ResidencyClaim& claim, const SourceFacts& source) {
  Faults faults;
  const RuleAgain rule = rule_again(source, claim.concurrent);
  if (claim.rule != rule.moved) {
    faults.push_back(fmt::format("the rule moves {} bytes a step off chip, not {}",
                                 rule.moved.count(), claim.rule.count()));
  }
  compare_order(claim, source, faults);
  if (claim.policy == Policy::Best) {
    if (claim.concurrent) {
      faults.emplace_back("the best plan is of programs that run one at a time, not at once");
    }
    return faults;
  }
  compare_spills(claim, source, rule, faults);
  if (!std::ranges::equal(claim.classes, rule.classes, is_same_class)) {
    faults.emplace_back("it is not the plan that the rule makes: other states stay in SRAM");
  }
  return faults;
}

}  // namespace berth
