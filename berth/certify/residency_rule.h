#pragma once

#include <string>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/residency.h"

namespace berth {

// Whether the claim is the plan that its policy makes: by the rule all of it is given, by the best
// what lies below the SRAM. Its programs and classes are those of the source.
std::vector<std::string> compare_policy(const ResidencyClaim& claim, const SourceFacts& source);

}  // namespace berth
