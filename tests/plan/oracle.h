#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "berth/ir/instance.h"
#include "berth/ir/packing.h"

// What a placement must be, checked pair by pair.
namespace berth::oracle {

inline bool share_a_byte(const Instance& instance, BufferId a, Offset place_a, BufferId b,
                         Offset place_b) {
  for (const Section& x : instance.sections(a)) {
    for (const Section& y : instance.sections(b)) {
      const ByteRange bytes_x = {place_a.value() + x.bytes.lower, place_a.value() + x.bytes.upper};
      const ByteRange bytes_y = {place_b.value() + y.bytes.lower, place_b.value() + y.bytes.upper};
      if (x.steps.overlaps(y.steps) && bytes_x.overlaps(bytes_y)) return true;
    }
  }
  return false;
}

// Whether fixed places alone rule out every placement.
inline bool fixed_are_at_fault(const Instance& instance) {
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId a(i);
    if (!instance[a].fixed || instance.extent(a) == Bytes(0)) continue;
    if (instance[a].fixed->value() % instance.alignment(a).value() != 0) return true;
    for (std::size_t j = 0; j < i; ++j) {
      const BufferId b(j);
      if (instance[a].device != instance[b].device || !instance[b].fixed) continue;
      if (share_a_byte(instance, a, *instance[a].fixed, b, *instance[b].fixed)) return true;
    }
  }
  return false;
}

// What is wrong with a placement; nothing if it is sound.
inline std::optional<std::string> find_fault(const Instance& instance, const Placement& placement) {
  if (placement.places.size() != instance.size()) return "some buffer has no place";
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId a(i);
    const Offset place = placement.places[i];
    const auto& name = instance[a].name;
    if (instance.extent(a) == Bytes(0)) {
      if (place != Offset(0) && place != instance[a].fixed) {
        return name + " is empty and neither at 0 nor where it is fixed";
      }
      continue;
    }
    if (place.value() % instance.alignment(a).value() != 0) return name + " is misaligned";
    if (instance[a].fixed && place != *instance[a].fixed) return name + " was moved";
    for (std::size_t j = 0; j < i; ++j) {
      const BufferId b(j);
      if (instance[a].device != instance[b].device) continue;
      if (share_a_byte(instance, a, place, b, placement.places[j])) {
        return name + " meets " + instance[b].name;
      }
    }
  }
  return std::nullopt;
}

// The highest end on one device.
inline Bytes peak(const Instance& instance, const Placement& placement, DeviceId device) {
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    if (instance[id].device != device || instance.extent(id) == Bytes(0)) continue;
    highest = std::max(highest, placement.places[i].value() + instance.extent(id).count());
  }
  return Bytes(highest);
}

}  // namespace berth::oracle
