#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/pipeline/plan_file.h"
#include "berth/reside/deployment.h"

namespace berth {

// Gives a feasible plan the addresses of what it keeps; what must stay and has none stands in its
// way from then on. A layout that does not pass its check is a broken promise.
Result<std::optional<BrokenPromise>> put_layouts(ResidencyAnswer& answer,
                                                 const Deployment& deployment, const Target& target,
                                                 const DeploymentDemand& demand);

}  // namespace berth
