#pragma once

#include <cstdint>
#include <span>

#include "berth/ir/instance.h"
#include "berth/ir/schedule.h"

namespace berth {

// The size of a schedule's launches, told before any is made.
struct RowCount {
  std::uint64_t rows = 0;      // planes, launches and words; a long name counts for more
  std::uint64_t executed = 0;  // launches; UINT64_MAX stands for any more
  std::uint64_t walked = 0;    // calls and loops come to, to count them

  friend bool operator==(const RowCount&, const RowCount&) = default;
};

// Entries that are one node are walked once. Stops as soon as rows, or what was come to, are more
// than `most`, so that a file whose entries share their loops costs no more than that.
RowCount count_rows(const Schedule& schedule, std::uint64_t most);

}  // namespace berth
