#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"
#include "berth/ir/instance.h"
#include "berth/ir/sharing.h"

namespace berth {

// A value that may share its bytes with others: a tensor, or a row of a table.
struct Sharer {
  std::size_t root = 0;  // whose bytes it is: its own index unless it is a view
  Bytes offset;          // from the root's first byte
  Bytes bytes;
  LiveRange life;  // of its root with all that views it
  Alignment alignment;
  std::optional<Offset> fixed;
  bool apart = false;      // it is not planned, or has gaps of its own: it shares with nobody
  bool given_out = false;  // it is read once the last step is over: its bytes are never taken over
};

// A value that stands on the bytes of another.
struct Guest {
  SharePermission::Kind kind = SharePermission::Kind::TakesOver;
  std::size_t on = 0;    // whose bytes it stands on
  std::size_t host = 0;  // the root that the buffer began with
  Bytes offset;          // from the host's first byte
};

// Which permissions are granted, by sharer: parts first, so that what joins them is known; then
// those to take over, by birth. One is granted where nothing is lost by it:
//
//   TakesOver  the host dies in the very step in which the guest begins, with everything else that
//              stands on its bytes, none of which was joined or took over in that step; the guest
//              is no larger, and no other guest took them
//   PartOf     the guest is live in the step in which its host begins, was born before, and its
//              bytes there belong to no other part
//
//   x x x . .     a a a .        y takes over x; a is written straight into its part of j, and
//   . . y y y     . . j j        j holds no more than that part until it begins
//
// A guest is no view and a guest once; its place is a multiple of its alignment and of `unit`; of
// a guest and its host both are fixed, and agree, or none is; parts of parts nest 64 deep at most.
// O(n log n).
std::vector<std::optional<Guest>> grant(std::span<const Sharer> sharers,
                                        std::span<const SharePermission> permissions,
                                        Alignment unit);

// Bytes of a buffer, held over some steps.
struct HeldBytes {
  LiveRange steps;
  ByteRange bytes;
};

// From the first step to the last in which anything is held, and the stretches between in which
// less than [0, size) is: nothing, or bytes from the lowest held to the highest. `held` is not
// empty. O(n log n).
struct HeldLife {
  LiveRange life;
  std::vector<Gap> gaps;
};
HeldLife held_life(std::span<const HeldBytes> held, Bytes size);

// By sharer, what it holds of itself while only its parts are live: the gaps of a buffer that lives
// as long as they do. Empty for all that is joined from nothing.
std::vector<std::vector<Gap>> gaps_of_wholes(std::span<const Sharer> sharers,
                                             std::span<const std::optional<Guest>> guests);

}  // namespace berth
