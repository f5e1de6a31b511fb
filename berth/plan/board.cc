#include "berth/plan/board.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace berth {
namespace {

// A place that is a multiple of the unit is also one of each alignment that divides it, so those
// fall away; the others, powers of two, take part in the unit.
std::uint64_t largest_unit(const Problem& problem) {
  std::uint64_t unit = 0;
  for (const Task& task : problem.tasks()) {
    unit = std::gcd(unit, std::gcd(task.extent, task.fixed.value_or(0)));
    for (const Rect& rect : problem.rects(task)) {
      unit = std::gcd(unit, std::gcd(rect.bytes.lower, rect.bytes.upper));
    }
  }
  for (const Task& task : problem.tasks()) {
    if (unit % task.alignment != 0) unit = std::gcd(unit, task.alignment);
  }
  return std::max<std::uint64_t>(unit, 1);
}

// The slots after which something ends, if something began since the last such slot: each set of
// tasks that live together is contained in that of one of them.
std::vector<Slot> maximal_slots(const Problem& problem) {
  std::vector<bool> begins(problem.slot_count());
  std::vector<bool> ends(problem.slot_count());
  for (const Task& task : problem.tasks()) {
    for (const Rect& rect : problem.rects(task)) {
      begins[rect.slots.lower] = true;
      ends[rect.slots.upper - 1] = true;
    }
  }
  std::vector<Slot> slots;
  bool has_begun = false;
  for (Slot slot = 0; slot < problem.slot_count(); ++slot) {
    has_begun = has_begun || begins[slot];
    if (!has_begun || !ends[slot]) continue;
    slots.push_back(slot);
    has_begun = false;
  }
  return slots;
}

std::vector<Slot> slots_of_columns(const Problem& problem, bool maximal_only) {
  if (maximal_only) return maximal_slots(problem);
  std::vector<Slot> slots(problem.slot_count());
  std::iota(slots.begin(), slots.end(), Slot{0});
  return slots;
}

HalfOpen<Column> columns_in(const SlotRange& range, std::span<const Slot> slots) {
  const auto index_of = [&](Slot slot) {
    return static_cast<Column>(std::lower_bound(slots.begin(), slots.end(), slot) - slots.begin());
  };
  return {index_of(range.lower), index_of(range.upper)};
}

}  // namespace

std::optional<Board> Board::of(const Problem& problem, const Shortcuts& shortcuts,
                               std::size_t most_cells) {
  Board board;
  const auto slots = slots_of_columns(problem, shortcuts.columns);
  const auto unit = shortcuts.unit ? largest_unit(problem) : 1;
  board.unit_ = unit;
  board.entries_.resize(slots.size());
  board.loads_.resize(slots.size());
  for (std::uint32_t i = 0; i < problem.tasks().size(); ++i) {
    const Task& task = problem.tasks()[i];
    Piece piece;
    piece.task = i;
    piece.extent = task.extent / unit;
    piece.alignment = std::max<std::uint64_t>(task.alignment / unit, 1);
    if (task.fixed) piece.fixed = *task.fixed / unit;
    piece.first_cell = static_cast<std::uint32_t>(board.cells_.size());
    for (const Rect& rect : problem.rects(task)) {
      const ByteRange bytes = {rect.bytes.lower / unit, rect.bytes.upper / unit};
      const auto columns = columns_in(rect.slots, slots);
      if (board.cells_.size() + (columns.upper - columns.lower) > most_cells) return std::nullopt;
      for (Column column = columns.lower; column < columns.upper; ++column) {
        board.entries_[column].push_back({i, static_cast<std::uint32_t>(board.cells_.size())});
        board.loads_[column] += bytes.upper - bytes.lower;
        board.cells_.push_back({column, bytes});
      }
    }
    piece.cell_count = static_cast<std::uint32_t>(board.cells_.size()) - piece.first_cell;
    if (piece.cell_count > 0) {
      piece.columns = {board.cells_[piece.first_cell].column, board.cells_.back().column + 1};
    }
    board.pieces_.push_back(piece);
  }
  board.count_twins();
  return board;
}

void Board::count_twins() {
  using Shape = std::vector<std::uint64_t>;
  std::map<Shape, std::uint32_t> known;
  for (Piece& piece : pieces_) {
    Shape shape = {piece.extent, piece.alignment, piece.fixed ? 1u : 0u, piece.fixed.value_or(0)};
    for (const Cell& cell : cells(piece)) {
      shape.insert(shape.end(), {cell.column, cell.bytes.lower, cell.bytes.upper});
    }
    const auto next = static_cast<std::uint32_t>(known.size());
    piece.twins = known.emplace(std::move(shape), next).first->second;
  }
}

}  // namespace berth
