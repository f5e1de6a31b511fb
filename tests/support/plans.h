#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "berth/ir/plan.h"

namespace berth::test {

inline Alignment alignment(std::uint64_t value) {
  return *Alignment::of(value);
}

inline PlannedBuffer buffer(std::string name, LiveRange life, std::uint64_t bytes,
                            std::uint64_t offset) {
  PlannedBuffer made;
  made.name = std::move(name);
  made.life = life;
  made.bytes = Bytes(bytes);
  made.offset = Offset(offset);
  return made;
}

// One arena whose figures are given: peak, max load and bound alike unless said.
inline PlannedArena arena(std::uint64_t peak, Step peak_step = 0) {
  PlannedArena made;
  made.device = "CPU";
  made.figures = {Bytes(peak), Bytes(peak), Bytes(peak), Bytes(peak), peak_step};
  return made;
}

inline Plan plan_of(PlannedArena arena, std::vector<PlannedBuffer> buffers) {
  Plan plan;
  plan.arenas = {std::move(arena)};
  plan.buffers = std::move(buffers);
  return plan;
}

// A sound plan of up to 10 buffers in up to 2 arenas, with gaps, kept bytes, skews, fixed places,
// views and reuses; steps stay below 16 and bytes below 128.
Plan random_sound_plan(std::mt19937_64& random);

// `plan` with one field changed.
Plan mutant_of(Plan plan, std::mt19937_64& random);

// The rules of check_placement read byte by byte and step by step, for plans as small as these.
bool is_sound_cell_by_cell(const Plan& plan);

// Sets each arena's figures to what its buffers say, cell by cell.
void set_figures(Plan& plan);

}  // namespace berth::test
