#include "berth/plan/placer.h"

#include <algorithm>
#include <limits>

namespace berth {

Placer::Placer(const Problem& problem, Fit fit, Places& places)
    : problem_(problem), fit_(fit), occupancy_(problem.slot_count()), places_(places) {}

void Placer::clear() {
  occupancy_.clear();
  peak_ = 0;
}

void Placer::put(std::uint32_t index, std::uint64_t place) {
  const Task& task = problem_.tasks()[index];
  places_[index] = place;
  peak_ = std::max(peak_, place + task.extent);
  occupancy_.add(problem_.rects(task), place);
}

void Placer::put_where_free(std::uint32_t index) {
  const Task& task = problem_.tasks()[index];
  FreePlaces free(occupancy_, task, problem_.rects(task));
  const auto first = free.at_or_above(0);
  if (task.hint && hint_is_good(task, first)) {
    put(index, *task.hint);
  } else {
    put(index, fit_ == Fit::First ? first : best_from(first, task, free));
  }
}

void Placer::put_on_top(std::uint32_t index) {
  const Task& task = problem_.tasks()[index];
  places_[index] = task.align_up(peak_);
  peak_ = places_[index] + task.extent;
}

bool Placer::hint_is_good(const Task& task, std::uint64_t first_fit) {
  const auto hint = *task.hint;
  const auto ceiling = std::max({problem_.lower_bound(), peak_, first_fit + task.extent});
  // A hint may be any number.
  if (hint % task.alignment != 0 || task.extent > ceiling || hint > ceiling - task.extent) {
    return false;
  }
  return FreePlaces(occupancy_, task, problem_.rects(task)).at_or_above(hint) == hint;
}

// The open room above everything counts as what is left of the arena so far, or of the least that
// it will be, so that a tight hole goes before it and a wide one after.
std::uint64_t Placer::best_from(std::uint64_t first, const Task& task, FreePlaces& free) const {
  const auto top = std::max(problem_.lower_bound(), peak_);
  auto best = first;
  auto least_room = std::numeric_limits<std::uint64_t>::max();
  for (auto place = first; place + task.extent <= top;) {
    const auto highest = free.highest_in_reach();
    const auto room = highest.value_or(top - task.extent) - place;
    if (room < least_room) {
      least_room = room;
      best = place;
    }
    if (!highest || room == 0) break;
    place = free.at_or_above(*highest + 1);
  }
  return best;
}

}  // namespace berth
