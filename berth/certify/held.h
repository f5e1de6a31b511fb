#pragma once

#include <vector>

#include "berth/base/interval.h"
#include "berth/ir/plan.h"

namespace berth {

// Bytes of an arena over steps in which one buffer holds them.
struct Held {
  LiveRange steps;
  ByteRange bytes;
  bool whole = true;  // all of the buffer, not what it keeps in a gap
};

// What a well-formed buffer holds, by first step; an empty one holds nothing.
std::vector<Held> held_by(const PlannedBuffer& buffer);

// Whether what is `held`, by first step and apart, covers `part` in each of its steps.
bool covers(const std::vector<Held>& held, const Held& part);

}  // namespace berth
