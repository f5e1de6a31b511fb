#pragma once

#include <optional>

#include "berth/certify/arena_ranges.h"
#include "berth/certify/arena_words.h"

namespace berth {

// Whether `length` bytes from each of these addresses on lie in one plane of the phase or in one
// global, in a window or not. None of them end past 2^64.
bool name_bytes(const ArenaRanges& ranges, PhaseId phase, AddressRange words, std::uint64_t length);

// The first iteration at which the word is in a window, yet in no range that the phase names.
// Nothing if there is none. Decided value by value where there is a value list, else by holding the
// progression against each hole that its hull meets: O(log) each, however many the iterations.
std::optional<std::uint64_t> first_stray(const ArenaRanges& ranges, PhaseId phase,
                                         const WordMotion& motion);

// The same for `length` bytes from the word on: at which they do not all lie in one range, in a
// window or not.
std::optional<std::uint64_t> first_stray_access(const ArenaRanges& ranges, PhaseId phase,
                                                const WordMotion& motion, std::uint64_t length);

// Whether there is none, as ArenaChecker asks it.
bool no_value_strays(const ArenaRanges& ranges, PhaseId phase, const WordMotion& motion);

// Whether some value of the word is in one of these windows, which are disjoint and in order.
// O(log) for each that its hull meets.
bool is_ever_in(Stretches windows, const WordMotion& motion);

}  // namespace berth
