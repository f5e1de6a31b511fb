#include "berth/plan/figures.h"

#include <algorithm>
#include <cassert>

#include "berth/live/load.h"

namespace berth {

std::vector<ArenaFigures> arena_figures(const Instance& instance, const Placement& placement) {
  assert(placement.places.size() == instance.size());
  const auto padded = load_curves(instance, Sizes::Padded);
  const auto given = load_curves(instance, Sizes::Given);
  std::vector<ArenaFigures> arenas(padded.size());
  for (std::size_t device = 0; device < arenas.size(); ++device) {
    arenas[device].max_load = padded[device].max();
    arenas[device].max_load_unpadded = given[device].max();
    arenas[device].lower_bound = padded[device].max();
    arenas[device].peak_step = padded[device].peak_step();
  }
  for (std::size_t i = 0; i < instance.size(); ++i) {
    const BufferId id(i);
    const auto extent = instance.extent(id);
    if (extent == Bytes(0)) continue;
    ArenaFigures& arena = arenas[instance[id].device.index()];
    const Offset least = instance[id].fixed.value_or(Offset(0));
    arena.peak = std::max(arena.peak, Bytes((placement.places[i] + extent).value()));
    arena.lower_bound = std::max(arena.lower_bound, Bytes((least + extent).value()));
  }
  return arenas;
}

}  // namespace berth
