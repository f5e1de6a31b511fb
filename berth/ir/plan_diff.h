#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/ir/plan.h"

namespace berth {

// How one plan differs from another.

// Where a plan has a buffer.
struct BufferPlace {
  std::string arena;
  Offset offset;
  Bytes bytes;
  LiveRange life;

  friend bool operator==(const BufferPlace&, const BufferPlace&) = default;
};

struct BufferChange {
  enum class Kind { Larger, New, Smaller, Gone, Moved, Lives };  // in the order of reports

  Kind kind = Kind::Moved;
  std::string name;
  std::optional<BufferPlace> before;  // nothing for a new one
  std::optional<BufferPlace> after;   // nothing for one that is gone

  friend bool operator==(const BufferChange&, const BufferChange&) = default;
};

struct ArenaChange {
  std::string name;             // of its device, and its tier where it has one
  std::optional<Bytes> before;  // peak; nothing where the plan has no such arena
  std::optional<Bytes> after;

  bool grew() const { return after && (!before || *after > *before); }

  friend bool operator==(const ArenaChange&, const ArenaChange&) = default;
};

struct PlanDiff {
  std::vector<ArenaChange> arenas;    // all of both plans, changed or not
  std::vector<BufferChange> buffers;  // by kind, then the largest change, then by name

  bool same() const;
};

// Buffers are matched by name; of several that bear one, the first with the first. O(n log n).
PlanDiff diff_plans(const Plan& before, const Plan& after);

// "CPU", "chip0 sram"; "arena" where neither has a name, as in the plan of a table.
std::string name_of(const PlannedArena& arena);

}  // namespace berth
