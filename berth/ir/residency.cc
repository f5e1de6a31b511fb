#include "berth/ir/residency.h"

namespace berth {

// Every sum here is part of one that the deployment was checked to have within 64 bits.
OffChip Residency::off_chip() const {
  OffChip sum;
  for (const ProgramResidency& program : programs) {
    sum.spilled += *checked_multiply(program.traffic, program.layers);
    sum.unplaced += *checked_multiply(program.unplaced, program.layers);
    for (const TableResidency& table : program.tables) {
      if (!table.on_chip) sum.tables += *checked_multiply(table.table.moved, program.layers);
    }
  }
  for (const ClassResidency& placed : classes) {
    sum.states += *checked_multiply(placed.state.moved, placed.state.instances - placed.on_chip());
  }
  return sum;
}

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::Sram:
      return "sram";
    case Tier::Hbm:
      return "hbm";
    case Tier::Dram:
      return "dram";
    case Tier::Flash:
      return "flash";
  }
  __builtin_unreachable();
}

std::string_view to_string(Policy policy) {
  return policy == Policy::Rule ? "rule" : "best";
}

std::string_view to_string(Obstacle::Kind kind) {
  switch (kind) {
    case Obstacle::Kind::BufferPastSite:
      return "buffer-past-site";
    case Obstacle::Kind::BuffersPastSram:
      return "buffers-past-sram";
    case Obstacle::Kind::PinnedPastSram:
      return "pinned-past-sram";
    case Obstacle::Kind::ReservePastSram:
      return "reserve-past-sram";
    case Obstacle::Kind::DramFull:
      return "dram-full";
    case Obstacle::Kind::NoMemory:
      return "no-memory";
    case Obstacle::Kind::NoLayout:
      return "no-layout";
  }
  __builtin_unreachable();
}

}  // namespace berth
