#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

namespace berth {

// An instance as a comma-separated table (docs/formats/instance.md), drop-in for MiniMalloc's.
struct InstanceTable {
  std::string text;  // as it was read
  // Buffers in the order of their ids, so that the order of the rows changes no answer; devices by
  // name (one, unnamed, where there is no column for it).
  Instance instance;
  std::vector<BufferId> rows;  // by row
  bool has_offsets = false;    // there are rows, and each has an offset
};

// Sizes are rounded up to `unit`, which also every place is a multiple of. Refuses, with file, line
// and column: an unknown, missing or double column, both `upper` and `end`, a blank row before the
// last, too few or too many cells, what is not an unsigned integer, a double id, an empty or
// reversed life, an alignment that is no power of two, a gap outside the life, sums past 64 bits.
Result<InstanceTable> read_instance_csv(std::string text, const std::string& file,
                                        Alignment unit = {});

// The table with its offset column filled in (added last where there was none); every other cell
// stands as it stood.
std::string write_instance_csv(const InstanceTable& table, const Placement& placement);

// Any instance with its places, as a table of its own. An offset is where the first byte sits.
std::string write_instance_csv(const Instance& instance, const Placement& placement);

}  // namespace berth
