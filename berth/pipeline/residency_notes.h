#pragma once

#include <string>
#include <vector>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"

namespace berth {

// What the reader of a plan should know and its figures do not say: states that no phase touches,
// and what was to stay where nothing can.
std::vector<std::string> residency_notes(const Deployment& deployment, const Residency& plan);

}  // namespace berth
