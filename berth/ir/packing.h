#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/id.h"
#include "berth/base/interval.h"

namespace berth {

// The answer to an instance: a place for each buffer, by BufferId. Where a buffer's bytes begin is
// its place plus its skew. An empty buffer is placed at 0.
struct Placement {
  std::vector<Offset> places;

  friend bool operator==(const Placement&, const Placement&) = default;
};

// One device's arena under a placement.
struct ArenaFigures {
  Bytes peak;               // the highest byte that a placed extent reaches
  Bytes max_load;           // the largest sum of live extents
  Bytes max_load_unpadded;  // the same of sizes as given, not rounded up
  Bytes lower_bound;        // the best bound known: at least max_load
  Step peak_step = 0;       // the earliest step at max load

  // No placement has a lower peak.
  bool proved_least() const { return peak == lower_bound; }

  friend bool operator==(const ArenaFigures&, const ArenaFigures&) = default;
};

struct Packing {
  Placement placement;
  std::vector<ArenaFigures> arenas;  // by DeviceId
  std::string packer;                // which packer's answer it is
  std::uint64_t nodes = 0;           // search nodes spent
  bool cut = false;                  // a time limit stopped the search
};

// Two buffers that must be placed where they are, and share `bytes` of the arena over `steps`.
struct FixedClash {
  BufferId first;
  BufferId second;
  ByteRange bytes;
  LiveRange steps;

  friend bool operator==(const FixedClash&, const FixedClash&) = default;
};

// A buffer that must be placed at an offset that is no multiple of what its place must be.
struct FixedMisaligned {
  BufferId buffer;
  Alignment alignment;

  friend bool operator==(const FixedMisaligned&, const FixedMisaligned&) = default;
};

// No placement exists, and why.
struct Infeasible {
  std::variant<FixedClash, FixedMisaligned> reason;

  friend bool operator==(const Infeasible&, const Infeasible&) = default;
};

using PackAnswer = std::variant<Packing, Infeasible>;

}  // namespace berth
