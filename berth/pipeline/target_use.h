#pragma once

#include <span>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/ir/target_use.h"
#include "berth/live/deployment_lives.h"
#include "berth/pipeline/placed_deployment.h"
#include "berth/reside/deployment.h"

namespace berth {

// What a placed deployment makes of each memory of its target, what left the SRAM, and what a step
// moves. Sums that 64 bits do not hold read as the most that they do. The certificate is not judged
// here.
TargetUse target_use(const Deployment& deployment, const Target& target,
                     const DeploymentDemand& demand, const ResidencyAnswer& answer,
                     const DeploymentLives& lives, std::span<const Tier> tiers,
                     const PlacedDeployment& placed);

}  // namespace berth
