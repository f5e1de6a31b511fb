#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/bytes.h"
#include "berth/base/interval.h"

namespace berth {

// A buffer that is live at an arena's peak step.
struct PeakBuffer {
  std::string name;
  Bytes bytes;
  LiveRange life;
  std::string born;       // the step that writes it first, as a person reads it
  std::string last_read;  // the last step that touches it

  friend bool operator==(const PeakBuffer&, const PeakBuffer&) = default;
};

// One change of the question, and the arena that a new plan of it needs.
struct Change {
  std::string what;
  Bytes arena;
  Bytes saved;         // against the question as it is, or as the changes before it left it
  Step peak_step = 0;  // where most is live then
  std::string peak_step_name;

  friend bool operator==(const Change&, const Change&) = default;
};

// Why one arena is as large as it is, and what would make it smaller.
struct ArenaExplanation {
  std::string device;
  Bytes arena;
  Bytes max_load;
  bool proved_least = false;
  Step peak_step = 0;
  std::string peak_step_name;
  std::vector<PeakBuffer> live;  // at the peak step, the largest first
  std::vector<Change> changes;   // that win something, the most first
  std::size_t tried = 0;         // changes, those that win nothing among them
  std::optional<Bytes> goal;     // what it shall have at most
  std::vector<Change> way;       // changes one after another, towards the goal

  // What is left of it at the end of the way.
  Bytes reached() const { return way.empty() ? arena : way.back().arena; }
  bool meets_goal() const { return !goal || reached() <= *goal; }

  friend bool operator==(const ArenaExplanation&, const ArenaExplanation&) = default;
};

using Explanation = std::vector<ArenaExplanation>;  // by device

}  // namespace berth
