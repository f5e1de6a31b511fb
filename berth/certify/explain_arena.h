#pragma once

#include <string>

#include "berth/ir/arena_report.h"

namespace berth {

// "[0x1100, 0x1200)", "[0xffffffffffffff00, 2^64)".
std::string text_of(const AddressRange& range);

// "plane a [0x1100, 0x1200) of phase 1": printable, whatever bytes the names hold.
std::string name_of(const RangeId& id, const PlaneTable& planes);

// The report in words: what, where, how far off, and what to do. A few lines.
std::string explain(const ArenaReport& report, const PlaneTable& planes,
                    const LaunchSchedule& schedule);

// What the verdict rests on, and the ranges that no windows cover. Of a plan whose tensors share
// nothing, that nothing is judged inside it, where that is what was certified.
std::string explain(const ArenaCoverage& coverage, const PlaneTable& planes,
                    bool is_certified = false);

}  // namespace berth
