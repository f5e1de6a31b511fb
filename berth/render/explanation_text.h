#pragma once

#include <string>

#include "berth/ir/explanation.h"

namespace berth {

// What each arena's peak is made of and which changes win how much, for a person.
std::string explanation_text(const Explanation& explanation);

// {"arenas": [{"device", "bytes", "max_load", "proved_least", "peak_step", "live": [...],
// "changes": [{"what", "bytes", "saved", "peak_step"}], "tried", and of a goal "goal", "reached"
// and "way", changes one after another}]}, names as they are.
std::string explanation_json(const Explanation& explanation);

}  // namespace berth
