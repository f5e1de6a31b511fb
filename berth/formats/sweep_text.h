#pragma once

#include <string>

#include "berth/ir/sweep.h"

namespace berth {

// sram,rule,best,bound: a row a step.
std::string write_sweep_csv(const Sweep& sweep);

// berth.sweep/1 (docs/formats/sweep.md).
std::string write_sweep(const Sweep& sweep);

}  // namespace berth
