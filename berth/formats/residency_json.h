#pragma once

#include <string>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"

namespace berth {

// berth.residency/1 (docs/formats/residency.md): the plan, what the rule, the best and the bound
// move off chip, what stands in the way, and the certificates. `deployment` is what it was made of.
std::string write_residency(const ResidencyAnswer& answer, const Deployment& deployment);

}  // namespace berth
