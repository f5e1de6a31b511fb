#pragma once

#include <cstddef>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/reside/demand.h"

namespace berth {

// A life is cut at no more than these gaps between its uses, the longest ones.
inline constexpr std::size_t kMostCuts = 15;

// A stretch of a tensor's life, from one use to another, for which the SRAM may hold it.
//
//   uses      0: write   1: read            9: read
//   stretch  [0 ............ 1]                       saves both accesses, costs the write back
//
// Its uses cost nothing. If it begins after the first use, the tensor must be fetched; if it ends
// before the last one and has written to it, it must be written back: its bytes each time.
struct Stretch {
  LiveRange phases;
  std::size_t first = 0;  // of its uses
  std::size_t end = 0;
  Bytes saved;  // in one run

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

// The uses that a life may be cut between: those on both sides of a gap that is not among the
// longest kMostCuts (the earlier of equals) are one.
std::vector<TensorUse> cut_uses(const std::vector<TensorUse>& uses);

// The stretches of a tensor of `bytes` that save something, and the whole life in any case; by
// first use, then by last.
std::vector<Stretch> stretches_of(const std::vector<TensorUse>& uses, Bytes bytes);

}  // namespace berth
