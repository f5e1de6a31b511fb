#pragma once

#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/live/deployment_lives.h"
#include "berth/reside/deployment.h"

namespace berth {

// The tier of each of lives.tensors, by index. In SRAM is what the plan keeps there, less what its
// layouts forced out. The rest goes down: a carried state to the tier that it was given; anything
// else to the HBM of its chip while that holds it whole beside the states (all layers of a weight
// together, an intermediate once), what moves most per byte held first, then the smaller, then by
// program and id; to the DRAM otherwise, and where it was declared there.
//
// What is not an intermediate or a state is never in SRAM, wherever it was declared.
std::vector<Tier> homes_of(const Deployment& deployment, const Target& target,
                           const DeploymentLives& lives, const DeploymentDemand& demand,
                           const ResidencyAnswer& answer);

}  // namespace berth
