#pragma once

#include <cstdint>
#include <vector>

#include "berth/ir/instance.h"

namespace berth::testing {

// The lowest free place for each buffer in turn, tried unit by unit: slow, plain, and no packer's
// code, for tests that need some sound and tight placement.
inline std::vector<std::uint64_t> place_first_fit(const Instance& instance) {
  std::vector<std::vector<Section>> sections;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    sections.push_back(instance.sections(BufferId(i)));
  }
  std::vector<std::uint64_t> places;
  const auto meets = [&](std::size_t a, std::uint64_t place_a, std::size_t b) {
    for (const Section& one : sections[a]) {
      for (const Section& other : sections[b]) {
        const ByteRange here = {place_a + one.bytes.lower, place_a + one.bytes.upper};
        const ByteRange there = {places[b] + other.bytes.lower, places[b] + other.bytes.upper};
        if (one.steps.overlaps(other.steps) && here.overlaps(there)) return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < instance.size(); ++i) {
    std::uint64_t place = 0;
    for (std::size_t other = 0; other < places.size();) {
      const bool hit = meets(i, place, other);
      place += hit ? instance.unit().value() : 0;
      other = hit ? 0 : other + 1;
    }
    places.push_back(place);
  }
  return places;
}

}  // namespace berth::testing
