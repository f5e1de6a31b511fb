#pragma once

#include <string>
#include <vector>

#include "berth/certify/source_facts.h"
#include "berth/ir/residency.h"

namespace berth {

// What it says of addresses: all that is kept has a place of its own, in bytes and phases, within
// what buffers and states leave, and what was forced out moves what is said. Its programs are those
// of the source. O(n log n) in places.
std::vector<std::string> compare_layouts(const ResidencyClaim& claim, const SourceFacts& source);

}  // namespace berth
