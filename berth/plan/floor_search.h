#pragma once

#include <cstdint>
#include <vector>

#include "berth/plan/board.h"
#include "berth/plan/deadline.h"
#include "berth/plan/floors.h"

namespace berth {

// Which column a search looks at next, and which of its pieces it tries first. Which of them is
// fast differs by orders of magnitude from one instance to the next, so several take turns.
struct Strategy {
  enum class Look {
    Lowest,    // the lowest floor, then the fewest choices
    Steepest,  // the lowest sum of floor and slack: what must be filled first
    Troubled,  // the lowest floor x choices, over how often dead ends showed there
  };
  enum class Try {
    Largest,
    Longest,      // in columns
    SnugLargest,  // the least bytes wasted under it, then the largest
    SnugLongest,
  };
  Look look = Look::Lowest;
  Try first = Try::Largest;
  std::uint64_t seed = 0;                // not 0: the preference is shuffled a little
  std::vector<std::uint64_t> trouble{};  // by column, what this strategy has learned so far
  std::uint64_t trouble_step = kTroubleOne;

  static constexpr std::uint64_t kTroubleOne = std::uint64_t{1} << 16;
};

// Whether a board fits a capacity: depth first, and complete.
//
// It looks at one column and asks what lies on its floor. Either one of the pieces whose lowest
// place is just there (no other can take that byte), or nothing, and then the floor rises to where
// the next piece can come to rest. Where no piece crosses from one part of the columns to another,
// a part that has no solution sends the search back to the last decision that concerned it.
class FloorSearch {
 public:
  enum class Outcome { Fits, DoesNot, Stopped };

  FloorSearch(const Board& board, const Shortcuts& shortcuts, Deadline deadline = {});

  // Stops after `most_nodes`, or at the deadline.
  Outcome run(std::uint64_t capacity, Strategy& strategy, std::uint64_t most_nodes);

  // After Fits: the place of each piece.
  std::vector<std::uint64_t> places() const;
  // After DoesNot: the least capacity at which the same search might have come out otherwise.
  std::uint64_t least_capacity() const { return least_capacity_; }
  // A node is a decision, or as many looks at columns and pieces as take about as long: decisions
  // alone would differ by a factor of a hundred in what they cost.
  std::uint64_t nodes() const { return decided_ + (looked_ + floors_.looks()) / kLooksToANode; }

 private:
  static constexpr std::uint64_t kLooksToANode = 128;

  // A decision: what lies on the floor of `column`.
  struct Decision {
    Column column = 0;
    std::vector<std::uint32_t> choices;
    std::size_t next = 0;
    std::size_t mark = 0;
    HalfOpen<Column> part;  // the columns that it concerns
  };

  void find_parts();
  std::uint64_t choice_count(Column column) const;
  Column choose_column(HalfOpen<Column> among, const Strategy& strategy) const;
  bool comes_before(Column a, Column b, const Strategy& strategy) const;
  Decision decide(HalfOpen<Column> near, const Strategy& strategy);
  void order_choices(std::vector<std::uint32_t>& choices, const Strategy& strategy) const;
  bool take_next_choice(Decision& decision);
  void go_back_from(HalfOpen<Column> part);
  void learn(Strategy& strategy) const;

  const Board& board_;
  Shortcuts shortcuts_;
  Deadline deadline_;
  Floors floors_;
  std::vector<Decision> decisions_;
  std::vector<HalfOpen<Column>> parts_;  // by column: the part that it belongs to
  std::vector<std::int64_t> crossings_;  // scratch of find_parts
  std::uint64_t least_capacity_ = 0;
  std::uint64_t decided_ = 0;
  std::uint64_t looked_ = 0;  // besides the floors' own looks
};

}  // namespace berth
