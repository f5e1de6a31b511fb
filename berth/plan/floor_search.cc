#include "berth/plan/floor_search.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace berth {
namespace {

__extension__ using Wide = unsigned __int128;

// A number that depends on both, the same everywhere (splitmix64).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + number + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Takes off up to a fifth, by chance.
std::uint64_t shuffled(std::uint64_t value, std::uint64_t seed, std::uint32_t piece) {
  if (seed == 0) return value;
  return value - value / 16 * (mixed(seed, piece) % 4);
}

}  // namespace

FloorSearch::FloorSearch(const Board& board, const Shortcuts& shortcuts, Deadline deadline)
    : board_(board),
      shortcuts_(shortcuts),
      deadline_(deadline),
      floors_(board, shortcuts),
      parts_(board.column_count()),
      crossings_(board.column_count() + 1) {}

FloorSearch::Outcome FloorSearch::run(std::uint64_t capacity, Strategy& strategy,
                                      std::uint64_t most_nodes) {
  strategy.trouble.resize(board_.column_count(), Strategy::kTroubleOne);
  decisions_.clear();
  least_capacity_ = Floors::kNever;
  const auto note_dead_end = [&] {
    least_capacity_ = std::min(least_capacity_, floors_.capacity_needed());
  };
  if (!floors_.reset(capacity)) {
    note_dead_end();
    return Outcome::DoesNot;
  }
  if (floors_.pieces_to_come() == 0) return Outcome::Fits;
  decisions_.push_back(decide({0, board_.column_count()}, strategy));
  for (const auto stop = nodes() + most_nodes; !decisions_.empty();) {
    Decision& decision = decisions_.back();
    floors_.undo(decision.mark);
    if (decision.next > decision.choices.size()) {
      go_back_from(decision.part);
      continue;
    }
    if (nodes() >= stop || deadline_.has_passed()) return Outcome::Stopped;
    ++decided_;
    if (!take_next_choice(decision)) {
      note_dead_end();
      learn(strategy);
    } else if (floors_.pieces_to_come() == 0) {
      return Outcome::Fits;
    } else {
      decisions_.push_back(decide(decision.part, strategy));
    }
  }
  return Outcome::DoesNot;
}

std::vector<std::uint64_t> FloorSearch::places() const {
  std::vector<std::uint64_t> places;
  for (std::uint32_t i = 0; i < board_.pieces().size(); ++i) places.push_back(floors_.place(i));
  return places;
}

// The last choice is that nothing lies on the floor.
bool FloorSearch::take_next_choice(Decision& decision) {
  const auto next = decision.next++;
  if (next < decision.choices.size()) {
    const auto piece = decision.choices[next];
    return floors_.put(piece, floors_.place(piece));
  }
  const auto level = floors_.next_level(decision.column);
  return floors_.lift(decision.column, level);
}

// Back to the last decision that concerns the part. Those in between concern other parts: whatever
// they chose, this one would fail again.
void FloorSearch::go_back_from(HalfOpen<Column> part) {
  decisions_.pop_back();
  while (!decisions_.empty() && !decisions_.back().part.covers(part)) decisions_.pop_back();
}

void FloorSearch::learn(Strategy& strategy) const {
  strategy.trouble[floors_.dead_column()] += strategy.trouble_step;
  // Recent trouble weighs more. Everything shrinks together before a sum could wrap.
  strategy.trouble_step += strategy.trouble_step / 1024;
  if (strategy.trouble_step < (std::uint64_t{1} << 40)) return;
  strategy.trouble_step >>= 24;
  for (auto& trouble : strategy.trouble) trouble = std::max<std::uint64_t>(trouble >> 24, 1);
}

// Neighbouring columns that some piece to come has in common belong to one part.
void FloorSearch::find_parts() {
  const auto columns = board_.column_count();
  if (!shortcuts_.parts) {
    std::fill(parts_.begin(), parts_.end(), HalfOpen<Column>{0, columns});
    return;
  }
  std::fill(crossings_.begin(), crossings_.end(), 0);
  for (std::uint32_t i = 0; i < board_.pieces().size(); ++i) {
    if (floors_.is_put(i) || board_.pieces()[i].columns.empty()) continue;
    ++crossings_[board_.pieces()[i].columns.lower + 1];
    --crossings_[board_.pieces()[i].columns.upper];
  }
  std::int64_t across = 0;  // pieces that cross from the column before into this one
  for (Column from = 0; from < columns;) {
    Column until = from + 1;
    across += crossings_[from];
    while (until < columns && across + crossings_[until] > 0) across += crossings_[until++];
    std::fill(parts_.begin() + from, parts_.begin() + until, HalfOpen<Column>{from, until});
    from = until;
  }
}

std::uint64_t FloorSearch::choice_count(Column column) const {
  return std::uint64_t{floors_.on_floor(column)} + (floors_.slack(column) > 0 ? 1 : 0);
}

bool FloorSearch::comes_before(Column a, Column b, const Strategy& strategy) const {
  const auto choices = std::pair(choice_count(a), choice_count(b));
  // What leaves no choice costs nothing to do first.
  if ((choices.first <= 1) != (choices.second <= 1)) return choices.first <= 1;
  const auto floors = std::pair(floors_.floor(a), floors_.floor(b));
  switch (strategy.look) {
    case Strategy::Look::Lowest:
      return std::pair(floors.first, choices.first) < std::pair(floors.second, choices.second);
    case Strategy::Look::Steepest:
      return floors.first + floors_.slack(a) < floors.second + floors_.slack(b);
    case Strategy::Look::Troubled:
      return Wide{floors.first + 1} * (choices.first + 1) * strategy.trouble[b] <
             Wide{floors.second + 1} * (choices.second + 1) * strategy.trouble[a];
  }
  return false;
}

Column FloorSearch::choose_column(HalfOpen<Column> among, const Strategy& strategy) const {
  Column best = among.upper;
  for (Column column = among.lower; column < among.upper; ++column) {
    if (floors_.is_full(column)) continue;
    if (best == among.upper || comes_before(column, best, strategy)) best = column;
  }
  return best;
}

FloorSearch::Decision FloorSearch::decide(HalfOpen<Column> near, const Strategy& strategy) {
  find_parts();
  looked_ += board_.column_count() + board_.pieces().size();
  Decision decision;
  decision.mark = floors_.mark();
  decision.column = choose_column(near, strategy);
  if (decision.column == near.upper) {  // That part is done; on to the rest.
    const HalfOpen<Column> all = {0, board_.column_count()};
    decision.column = choose_column(all, strategy);
    assert(decision.column < all.upper);
  }
  decision.part = parts_[decision.column];
  for (const Entry& entry : board_.entries(decision.column)) {
    if (floors_.is_put(entry.piece)) continue;
    const auto bottom = floors_.place(entry.piece) + board_.cell(entry.cell).bytes.lower;
    if (bottom == floors_.floor(decision.column)) decision.choices.push_back(entry.piece);
  }
  order_choices(decision.choices, strategy);
  return decision;
}

void FloorSearch::order_choices(std::vector<std::uint32_t>& choices,
                                const Strategy& strategy) const {
  struct Ranked {
    std::uint64_t wasted = 0;
    std::uint64_t preference = 0;
    std::uint32_t piece = 0;
  };
  const bool snug =
      strategy.first == Strategy::Try::SnugLargest || strategy.first == Strategy::Try::SnugLongest;
  const bool largest =
      strategy.first == Strategy::Try::Largest || strategy.first == Strategy::Try::SnugLargest;
  std::vector<Ranked> ranked;
  for (const auto index : choices) {
    const Piece& piece = board_.pieces()[index];
    const auto is_twin = [&](const Ranked& other) {
      return board_.pieces()[other.piece].twins == piece.twins;
    };
    if (shortcuts_.twins && std::any_of(ranked.begin(), ranked.end(), is_twin)) continue;
    Ranked next;
    next.piece = index;
    next.preference = shuffled(largest ? piece.extent * 8 : piece.cell_count * std::uint64_t{8},
                               strategy.seed, index);
    if (snug) {
      for (const Cell& cell : board_.cells(piece)) {
        const auto bottom = floors_.place(index) + cell.bytes.lower;
        next.wasted += bottom - std::min(bottom, floors_.floor(cell.column));
      }
    }
    ranked.push_back(next);
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::tuple(a.wasted, b.preference, a.piece) <
           std::tuple(b.wasted, a.preference, b.piece);
  });
  choices.clear();
  for (const Ranked& r : ranked) choices.push_back(r.piece);
}

}  // namespace berth
