#pragma once

#include <cstdint>
#include <string>

#include "berth/plan/problem.h"

namespace berth {

// A packer's answer for one device.
struct Candidate {
  std::string packer;
  Places places;
  std::uint64_t lower_bound = 0;  // no placement's peak is lower
  std::uint64_t nodes = 0;        // one for each task that was placed, however often
  std::uint64_t work = 0;         // ranges read or moved on the way: a cost that is no machine's
  bool cut = false;               // a time limit stopped it
};

}  // namespace berth
