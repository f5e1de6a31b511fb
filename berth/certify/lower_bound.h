#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/ir/plan.h"

namespace berth {

// What can be said of an arena's lower bound without any packer.
struct BoundFinding {
  enum class Answer {
    Confirmed,  // its buffers go into no less
    Refuted,    // they go into `fits`, which is less
    AsTold,     // neither was found: the plan's word stands alone
  };
  Answer answer = Answer::AsTold;
  std::string why;  // in words
  Bytes fits;       // where refuted
};

// By arena, of a sound plan. Confirmed is a bound that is the max load, and one for which every
// way in which the arena's buffers can lie over one another was tried; a buffer that stands on
// another's bytes may lie anywhere for that, which only makes it easier. Refuted is one above what
// the buffers take where they stand, or all moved down as one where nobody is fixed; and one for
// which a way was found where no two share bytes. `most_cases` bounds the tries of all arenas.
std::vector<BoundFinding> check_lower_bounds(const Plan& plan, std::uint64_t most_cases = 200'000);

}  // namespace berth
