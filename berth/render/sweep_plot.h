#pragma once

#include <string>

#include "berth/ir/sweep.h"

namespace berth {

// A row a step, with what the rule moves more than the best. Ends in a newline.
std::string sweep_table(const Sweep& sweep);

// Bytes off chip over bytes of SRAM, as stairs: the rule's, the best's, and below them what is
// proved where the best is not.
std::string sweep_svg(const Sweep& sweep);

}  // namespace berth
