#pragma once

#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"

namespace berth {

// What a step moves through each chip's lower tiers: states that are not in SRAM through the tier
// that they were given; intermediates that are not in SRAM and tables that are not kept through the
// one they were declared in, or through the chip's next tier down where it lacks that or none was
// declared.
std::vector<TierTraffic> traffic_by_tier(const Deployment& deployment, const Target& target,
                                         const Residency& plan);

}  // namespace berth
