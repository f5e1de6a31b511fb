#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/ir/program.h"
#include "berth/ir/target.h"

namespace berth::test {

// An intermediate written at `first`, read at `last`; it moves twice its bytes unless `moved` says
// otherwise.
struct Life {
  Step first = 0;
  Step last = 0;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> moved = {};
};

inline Program program_of(const std::vector<Life>& lives) {
  Program program{.name = "p"};
  Step phases = 0;
  for (const Life& life : lives) phases = std::max(phases, life.last + 1);
  program.phases.resize(phases);
  for (std::size_t i = 0; i < lives.size(); ++i) {
    const Life& life = lives[i];
    const std::uint64_t moved = life.moved.value_or(2 * life.bytes);
    program.tensors.push_back({.name = "t" + std::to_string(i), .bytes = Bytes(life.bytes)});
    program.phases[life.first].accesses.push_back(
        {.tensor = TensorId(i), .kind = TensorAccess::Kind::Write, .bytes = Bytes(moved / 2)});
    program.phases[life.last].accesses.push_back({.tensor = TensorId(i),
                                                  .kind = TensorAccess::Kind::Read,
                                                  .bytes = Bytes(moved - moved / 2)});
  }
  return program;
}

// One chip with one site.
inline Target target_of(std::uint64_t sram) {
  return {.name = "chip", .any_site_reaches_any = true, .chips = {{.sites = {{1, Bytes(sram)}}}}};
}

}  // namespace berth::test
