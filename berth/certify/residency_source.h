#pragma once

#include <string>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"

namespace berth {

// Where a claim is not about this deployment on this target, each in words: its programs, classes,
// footprints and traffic worked out again from the input, what is kept added up phase by phase,
// and the choice that each chip's certificate is of. Shares nothing with the planner. The
// deployment's sums fit 64 bits.
std::vector<std::string> compare_residency(const ResidencyClaim& claim,
                                           const Deployment& deployment, const Target& target);

}  // namespace berth
