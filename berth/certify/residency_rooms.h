#pragma once

#include <string>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/residency.h"

namespace berth {

// Whether what lives below the SRAM can have the room at all: a plan that says it can be, where the
// memories of a chip together are less than what lives there at once, cannot. Its programs and
// classes are those of the source.
std::vector<std::string> compare_rooms(const ResidencyClaim& claim, const SourceFacts& source);

}  // namespace berth
