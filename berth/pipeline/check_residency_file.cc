#include "berth/pipeline/check_residency_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/formats/json.h"
#include "berth/formats/residency_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/reside_file.h"
#include "berth/reside/best.h"

namespace berth {
namespace {

// The chips whose certified choice is the source's neither with whole classes nor with split ones.
Result<std::vector<std::string>> find_strangers(const ResidencyClaim& claim,
                                                const ResidencySource& source) {
  const auto target = read_target(source.target.content, source.target.path);
  if (!target) return tl::unexpected(target.error());
  const auto deployment = read_deployment_file(source.input);
  if (!deployment) return tl::unexpected(deployment.error());
  const auto demand = deployment_demand(*deployment, *target);
  if (!demand) return tl::unexpected(demand.error());

  std::vector<std::string> faults;
  const auto whole = deployment_choices(*deployment, *target, *demand, Split::Whole);
  const auto apart = deployment_choices(*deployment, *target, *demand, Split::Apart);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto found = std::ranges::find(claim.certificates, whole[i].chip, &ChipCertificate::chip);
    const std::size_t chip = whole[i].chip.index();
    if (found == claim.certificates.end()) {
      faults.push_back(fmt::format("chip {} has no certificate", chip));
    } else if (found->choice != whole[i].choice && found->choice != apart[i].choice) {
      faults.push_back(
          fmt::format("chip {}: its items and capacities are not those of the input", chip));
    }
  }
  return faults;
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
