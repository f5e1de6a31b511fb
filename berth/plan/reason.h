#pragma once

#include <cstdint>
#include <optional>

#include "berth/ir/instance.h"
#include "berth/ir/packing.h"
#include "berth/ir/reason.h"

namespace berth {

// Some of the buffers of a device that by themselves do not go into what it has; nothing where
// that is not proved within `effort` search nodes. Its source is left empty.
//
// More live bytes at a step than there are come first: the largest of them, as few as pass it.
// Otherwise buffers are left out, many at once and then one by one, as long as the rest is still
// refused by the exact search. It is minimal where each one that stays was seen to be needed.
//
// The time that it takes is that of `effort`, and of O(log n) reads of the n buffers.
std::optional<Reason> find_reason(const Instance& instance, DeviceId device, std::uint64_t effort);

// The one or two buffers whose fixed places leave no placement.
Reason reason_of(const Instance& instance, const Infeasible& infeasible);

}  // namespace berth
