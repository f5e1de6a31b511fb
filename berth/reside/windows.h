#pragma once

#include <cstdint>
#include <vector>

#include "berth/reside/components.h"

namespace berth {

// Makes what is kept (times, by item) better a few items at a time: the items that live in a window
// of phases are chosen anew beside all others, which stay as they are. Windows follow one another
// and overlap, again while that helps and for at most `effort` search nodes, which it takes off.
void improve_in_windows(const Choice& choice, std::vector<std::uint64_t>& kept,
                        std::uint64_t& effort);

}  // namespace berth
