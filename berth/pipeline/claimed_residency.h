#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/deployment.h"

namespace berth {

// What a residency tells of the plan that it makes, beside the plan itself: why it cannot be, what
// each chip moves through the tiers below its SRAM, and what addresses force out. All of it follows
// from who stays where, so the plan is made again of that, and laid out as ours are; where the
// residency tells otherwise is said, each in words. `rule` is the rule's plan of the same input,
// and the claim has passed compare_residency.
Result<std::vector<std::string>> find_told_otherwise(const ResidencyClaim& claim,
                                                     const Deployment& deployment,
                                                     const Target& target,
                                                     const DeploymentDemand& demand,
                                                     const Residency& rule);

}  // namespace berth
