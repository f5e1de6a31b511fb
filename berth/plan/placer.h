#pragma once

#include <cstdint>

#include "berth/plan/occupancy.h"
#include "berth/plan/problem.h"

namespace berth {

// Which of its free places a task takes.
enum class Fit {
  First,  // the lowest
  Best,   // the one with the least room above it, within the arena so far; the lower of equals
};

// Places tasks one by one, and never moves one again.
class Placer {
 public:
  // Writes to `places`, which has room for every task.
  Placer(const Problem& problem, Fit fit, Places& places);

  // Forgets what was placed.
  void clear();
  void put(std::uint32_t task, std::uint64_t place);
  void put_where_free(std::uint32_t task);
  // Above everything that was put: in no time, and at a price.
  void put_on_top(std::uint32_t task);

  std::uint64_t peak() const { return peak_; }
  std::uint64_t work() const { return occupancy_.work(); }

 private:
  bool hint_is_good(const Task& task, std::uint64_t first_fit);
  std::uint64_t best_from(std::uint64_t first, const Task& task, FreePlaces& free) const;

  const Problem& problem_;
  Fit fit_;
  Occupancy occupancy_;
  Places& places_;
  std::uint64_t peak_ = 0;
};

}  // namespace berth
