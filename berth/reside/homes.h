#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/live/deployment_lives.h"
#include "berth/reside/deployment.h"

namespace berth {

// Tensors that a layout found no place for, by program.
using ForcedOut = std::set<std::pair<std::size_t, TensorId>>;
ForcedOut forced_out_of(const ResidencyAnswer& answer);

// Where everything lives that is not in SRAM.
struct Homes {
  // By program, by TensorId: of what has bytes of its own there and is no carried state, whose tier
  // the plan has.
  std::vector<std::vector<std::optional<Tier>>> tiers;
  std::vector<Obstacle> obstacles;  // DRAMs that are too small, or missing
};

// A weight goes to the flash of its chip while that holds all its layers, unless it was declared
// elsewhere. Anything else, and what does not fit there, goes to the HBM while that holds it whole
// beside the states (all layers of a weight together, an intermediate once), what moves most per
// byte held first, then the smaller, then by program and id; to the DRAM otherwise, and where it
// was declared there. Where the DRAM then is too small, or there is none, the HBM is filled again
// by what lives there at once, since programs run one at a time.
Homes homes_below(const Deployment& deployment, const Target& target,
                  const DeploymentDemand& demand, const Residency& plan,
                  const ForcedOut& forced_out = {});

// Adds to the plan what has no room below the SRAM, in place of what stood there of that kind.
void put_home_obstacles(Residency& plan, const Deployment& deployment, const Target& target,
                        const DeploymentDemand& demand, const ForcedOut& forced_out = {});

// The tier of each of lives.tensors, by index. In SRAM is what the plan keeps there, less what its
// layouts forced out; a carried state has the tier that it was given, and the rest its home below.
//
// What is not an intermediate or a state is never in SRAM, wherever it was declared.
std::vector<Tier> homes_of(const Deployment& deployment, const Target& target,
                           const DeploymentLives& lives, const DeploymentDemand& demand,
                           const ResidencyAnswer& answer);

}  // namespace berth
