#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/ir/sharing.h"

namespace berth {

// The rows of an instance file, kept so that the answer can be written in the same form.
struct InstanceTable {
  std::string text;                           // as it was read
  std::vector<std::optional<BufferId>> rows;  // by row; nothing: the row's buffer is not placed
};

// An instance as a comma-separated table (docs/formats/instance.md), drop-in for MiniMalloc's.
struct InstanceFile {
  // Buffers in the order of their ids, so that the order of the rows changes no answer; devices by
  // name (one, unnamed, where there is no column for it).
  Instance instance;
  InstanceTable table;
  std::vector<SharePermission> permissions;  // by guest; of buffers, by index
};

// Sizes are rounded up to `unit`, which also every place is a multiple of. Refuses, with file, line
// and column: an unknown, missing or double column, both `upper` and `end`, a blank row before the
// last, too few or too many cells, what is not an unsigned integer, a double id, an empty or
// reversed life, an alignment that is no power of two, a gap outside the life, sums past 64 bits, a
// permission to share the bytes of no row, or past that row's end.
Result<InstanceFile> read_instance_csv(std::string text, const std::string& file,
                                       Alignment unit = {});

// The table with its offset column filled in (added last where there was none; empty for a buffer
// that is not placed); every other cell stands as it stood.
std::string write_instance_csv(const InstanceTable& table, const Placement& placement);

// Any instance with its places, as a table of its own. An offset is where the first byte sits.
std::string write_instance_csv(const Instance& instance, const Placement& placement);

}  // namespace berth
