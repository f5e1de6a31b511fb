#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "berth/base/bytes.h"
#include "berth/ir/prices.h"

namespace berth {

// No choice saves more than this.
struct ProvedBound {
  Bytes saved;

  friend bool operator==(const ProvedBound&, const ProvedBound&) = default;
};

// The certificate proves nothing, and why.
struct PriceFault {
  std::string where;  // "parts[0].nodes[3]"
  std::string message;

  friend bool operator==(const PriceFault&, const PriceFault&) = default;
};

using PriceVerdict = std::variant<ProvedBound, PriceFault>;

// What the prices prove, in integers alone. A part's tree covers every choice of its items: a
// branch gives both sides. In a leaf, with `low` and `high` the times that an item must and may
// stay:
//  - what must stay is taken off the capacities; where it does not fit, the leaf holds no choice;
//  - an item may stay at most as often as its bytes fit what is left at each of its phases;
//  - what is left is worth its price, rounded down to a multiple of what divides the bytes of all
//    that may still stay;
//  - each time that an item stays beyond `low` saves at most max(0, scale x moved - bytes x
//  prices);
//  - the sum over the scale is rounded down to a multiple of what divides all that may be saved.
// The part is worth the most that a leaf is. One with a walk has a single leaf, and is worth what
// certify/walk.h finds. The choice keeps its own promises (ir/prices.h); the
// prices are from any hand. O(leaves x (items + n log n) of the part, n its items' ends and phases
// with a price), and a fault where that comes to more than `most_work`.
PriceVerdict check_prices(const Choice& choice, const Prices& prices,
                          std::uint64_t most_work = UINT64_MAX);

// Whether what is kept (times, by item) is a choice, and what it saves; nothing where a phase
// overflows or an item stays more often than it may.
std::optional<Bytes> saved_by(const Choice& choice, const std::vector<std::uint64_t>& kept);

}  // namespace berth
