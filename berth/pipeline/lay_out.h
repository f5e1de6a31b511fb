#pragma once

#include <variant>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"
#include "berth/pipeline/plan_file.h"
#include "berth/reside/deployment.h"

namespace berth {

// By program, a layout for each chip on which it keeps anything.
using Layouts = std::vector<std::vector<Layout>>;

// Addresses for what stays: states stand first, each on the chip's alignment, and every program
// lays out its own arena in what they and its buffers leave. Where sums fit but no layout is found,
// the intermediate that moves least of those that make it fit leaves; where no one of those that
// were tried does, more leave, cheapest first, and come back where they still fit. Each layout has
// passed the independent check. The plan is feasible.
Result<std::variant<Layouts, BrokenPromise>> lay_out(const Deployment& deployment,
                                                     const Target& target,
                                                     const DeploymentDemand& demand,
                                                     const Residency& plan);

}  // namespace berth
