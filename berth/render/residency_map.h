#pragma once

#include <string>

#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"
#include "berth/ir/target.h"

namespace berth {

// The state ladder of each chip and the tier map of each program, as one picture; of many, the
// first.
std::string residency_svg(const ResidencyAnswer& answer, const Deployment& deployment,
                          const Target& target);

// A page of its own: the picture, and the table below it.
std::string residency_html(const ResidencyAnswer& answer, const Deployment& deployment,
                           const Target& target);

}  // namespace berth
