#pragma once

#include <string>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/residency.h"

namespace berth {

// What it says of each tensor that is off chip: where it lives, its size, what was short where,
// beside whom, and from which SRAM on it would stay. Its programs are those of the source, and
// whoever is named may be.
std::vector<std::string> compare_reasons(const ResidencyClaim& claim, const SourceFacts& source);

}  // namespace berth
