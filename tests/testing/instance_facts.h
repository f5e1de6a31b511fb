#pragma once

// What tests ask of a packing problem, computed step by step and byte by byte: slow, and on purpose
// not by the code under test.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "berth/ir/instance.h"
#include "berth/live/program_lives.h"

namespace berth::testing {

inline std::uint64_t load_at(const Instance& instance, Step step) {
  std::uint64_t load = 0;
  for (std::size_t i = 0; i < instance.size(); ++i) {
    for (const Section& section : instance.sections(BufferId(i))) {
      if (section.steps.contains(step)) load += section.bytes.upper - section.bytes.lower;
    }
  }
  return load;
}

inline std::uint64_t brute_max_load(const Instance& instance) {
  Step steps = 0;
  for (const Buffer& buffer : instance.buffers()) steps = std::max(steps, buffer.life.upper);
  std::uint64_t most = 0;
  for (Step step = 0; step < steps; ++step) most = std::max(most, load_at(instance, step));
  return most;
}

// Null where no planned tensor bears the name.
inline const Member* find_member(const ProgramInstance& planned, std::string_view name) {
  const auto found = std::ranges::find(planned.members, name, &Member::name);
  return found == planned.members.end() ? nullptr : &*found;
}

inline const KeptTensor* find_kept(const ProgramInstance& planned, std::string_view name) {
  const auto found = std::ranges::find(planned.kept, name, &KeptTensor::name);
  return found == planned.kept.end() ? nullptr : &*found;
}

}  // namespace berth::testing
