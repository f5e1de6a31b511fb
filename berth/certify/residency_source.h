#pragma once

#include <string>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/residency.h"

namespace berth {

// Where a claim is not about this input, each in words: its programs, classes, footprints and
// traffic worked out again, what is kept added up phase by phase, the choice that each chip's
// certificate is of; and then whether its policy makes this plan, what it says of who left the SRAM
// and why, its layouts byte by byte, and the room of what lives below. Shares nothing with the
// planner. The deployment's sums fit 64 bits.
std::vector<std::string> compare_residency(const ResidencyClaim& claim, const SourceFacts& source);

}  // namespace berth
