#pragma once

#include <vector>

#include "berth/base/interval.h"
#include "berth/ir/plan.h"

namespace berth {

// What is drawn of one arena, from any plan, a sound one or not: what makes no sense (an arena that
// does not exist, an empty life, a gap outside it) is left out, and ends stop at 2^64 - 1.

// Bytes of the arena over steps in which a buffer holds them.
struct Tile {
  std::size_t buffer = 0;  // index in Plan::buffers
  LiveRange steps;
  ByteRange bytes;
  bool whole = true;  // not what is kept in a gap
  Bytes load;         // what it adds to the load, padding included: nothing for a view
  Bytes load_unpadded;
};

// From `step` on, until the next.
struct LoadStep {
  Step step = 0;
  Bytes load;

  friend bool operator==(const LoadStep&, const LoadStep&) = default;
};

struct Occupancy {
  std::vector<Tile> tiles;     // by buffer, then by step
  std::vector<LoadStep> load;  // by step; begins where the first tile does, ends with load 0
  Bytes top;                   // the highest end of a tile
  std::size_t buffers = 0;     // with at least one tile
};

// By arena of the plan. A buffer that takes over another's bytes adds to the load from its second
// step on: in the first its donor does.
std::vector<Occupancy> occupancy_of(const Plan& plan);

// The tiles that contain `step` and are no views, the one with most load first.
std::vector<Tile> live_at(const Plan& plan, const Occupancy& occupancy, Step step);

// Stretches of [0, top) that no tile holds at `step`, by first byte.
std::vector<ByteRange> holes_at(const Occupancy& occupancy, Step step, Bytes top);

}  // namespace berth
