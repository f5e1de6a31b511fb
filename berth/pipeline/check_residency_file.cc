#include "berth/pipeline/check_residency_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "berth/certify/residency_source.h"
#include "berth/formats/json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/claimed_residency.h"
#include "berth/pipeline/reside_file.h"
#include "berth/reside/deployment.h"

namespace berth {
namespace {

auto placed_at(const ClassResidency& it) {
  return std::tuple(it.state.program, it.state.tensor, it.state.chip, it.tier, it.split);
}

// Whether it is the rule's plan, planned again.
void compare_rule(const ResidencyClaim& claim, const Deployment& deployment, const Residency& rule,
                  std::vector<std::string>& faults) {
  const Bytes total = rule.off_chip().total();
  if (claim.rule != total) {
    faults.push_back(fmt::format("the rule moves {} bytes a step off chip, not {}", total.count(),
                                 claim.rule.count()));
  }
  if (claim.policy != Policy::Rule) return;
  bool is_same = std::ranges::equal(claim.classes, rule.classes, {}, placed_at, placed_at);
  for (std::size_t p = 0; p < rule.programs.size() && is_same; ++p) {
    const ProgramResidency& it = rule.programs[p];
    is_same = claim.programs[p].spilled.size() == it.spilled.size();
    for (std::size_t i = 0; i < it.spilled.size() && is_same; ++i) {
      const std::size_t tensor = it.spilled[i].tensor.index();
      is_same = claim.programs[p].spilled[i] == deployment.programs[p].program.tensors[tensor].name;
    }
  }
  if (!is_same) faults.push_back("it is not the plan that the rule makes");
}

// Where it is not about this source.
Result<std::vector<std::string>> find_strangers(const ResidencyClaim& claim,
                                                const ResidencySource& source) {
  const auto target = read_target(source.target.content, source.target.path);
  if (!target) return tl::unexpected(target.error());
  const auto deployed = read_deployed(source.input, *target, source.options);
  if (!deployed) return tl::unexpected(deployed.error());
  const Deployment* deployment = &deployed->deployment;
  const auto demand = placed_demand(*deployment, *target, source.input);
  if (!demand) return tl::unexpected(demand.error());

  auto faults = compare_residency(claim, *deployment, *target);
  if (claim.programs.size() != deployment->programs.size()) return faults;
  const Running running = claim.concurrent ? Running::Together : Running::OneAtATime;
  const Residency rule = plan_deployment(*deployment, *target, *demand, running);
  compare_rule(claim, *deployment, rule, faults);
  if (!faults.empty()) return faults;
  return find_told_otherwise(claim, *deployment, *target, *demand, rule);
}

}  // namespace

Result<ResidencyVerdict> check_residency_file(const InputFile& file,
                                              const std::optional<ResidencySource>& source) {
  const auto document = JsonDocument::parse(file.content, file.path);
  if (!document) return tl::unexpected(document.error());
  const auto claim = read_residency(*document);
  if (!claim) return tl::unexpected(claim.error());
  ResidencyVerdict verdict = check_residency(*claim);
  if (!source) return verdict;
  auto strangers = find_strangers(*claim, *source);
  if (!strangers) return tl::unexpected(strangers.error());
  verdict.faults.insert(verdict.faults.end(), strangers->begin(), strangers->end());
  return verdict;
}

}  // namespace berth
