#include "berth/pipeline/check_residency_file.h"

#include <utility>

#include "berth/certify/residency_source.h"
#include "berth/formats/json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/claimed_residency.h"
#include "berth/pipeline/reside_file.h"
#include "berth/pipeline/whole_units.h"
#include "berth/reside/deployment.h"

namespace berth {
namespace {

// Where it is not about this source.
Result<std::vector<std::string>> find_strangers(const ResidencyClaim& claim,
                                                const ResidencySource& source) {
  const auto target = read_target(source.target.content, source.target.path);
  if (!target) return tl::unexpected(target.error());
  const auto deployed = read_deployed(source.input, *target, source.options);
  if (!deployed) return tl::unexpected(deployed.error());
  const Deployment* deployment = &deployed->deployment;
  const Alignment unit = source.options.alignment.value_or(deployed->unit);
  const WholeUnits whole = in_whole_units(*deployment, *target, unit);
  const auto demand = placed_demand(whole.deployment, whole.target, source.input);
  if (!demand) return tl::unexpected(demand.error());
  auto faults = compare_residency(claim, source_facts(*deployment, *target, unit));
  if (!faults.empty()) return faults;
  const Running running = claim.concurrent ? Running::Together : Running::OneAtATime;
  const Residency rule = plan_deployment(whole.deployment, whole.target, *demand, running);
  return find_told_otherwise(claim, whole.deployment, whole.target, *demand, rule);
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
