#pragma once

#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/reside/deployment.h"

namespace berth {

// Why each intermediate is off chip, by program and in the order of its spills; of a large program
// of the first of them alone, so that the work stays bounded.
std::vector<std::vector<SpillReason>> spill_reasons(const Deployment& deployment,
                                                    const Target& target,
                                                    const DeploymentDemand& demand,
                                                    const Residency& plan);

// For each program's partly kept intermediates, the same of the phases of its life for which it is
// not in SRAM. Under the rule there are none.
std::vector<std::vector<SpillReason>> away_reasons(const Deployment& deployment,
                                                   const Target& target,
                                                   const DeploymentDemand& demand,
                                                   const Residency& plan);

}  // namespace berth
