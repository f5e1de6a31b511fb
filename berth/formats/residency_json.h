#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/deployment.h"
#include "berth/ir/residency.h"

namespace berth {

// berth.residency/1 (docs/formats/residency.md): the plan, what the rule, the best and the bound
// move off chip, what stands in the way, and the certificates. `deployment` is what it was made of.
std::string write_residency(const ResidencyAnswer& answer, const Deployment& deployment);

// What a file claims. Refuses, with file, line, column and the path of the field, what the format
// does not allow, items that live in no phase of their capacity, and sums past 64 bits. It does not
// judge the plan; what programs keep and spill stands in the certificate.
Result<ResidencyClaim> read_residency(const JsonDocument& document);

}  // namespace berth
