#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "berth/plan/problem.h"

namespace berth {

// Which shortcuts the exact search takes. None of them changes an answer; tests run them all on
// and off against each other.
struct Shortcuts {
  bool columns = true;   // leave out slots whose tasks all live in a neighbour too
  bool unit = true;      // count in the largest unit that divides every size and place
  bool load = true;      // stop when a column's waste leaves too little for what it must hold
  bool lift = true;      // lift a column's floor to the lowest place of what is still to come
  bool stacking = true;  // stop when what is to come cannot be stacked in order of lowest places
  bool twins = true;     // of tasks that differ in nothing, try one
  bool parts = true;     // where nothing crosses a point in time, the sides fail on their own
  bool levels = true;    // wasted bytes reach up to where something can come to rest
};

using Column = std::uint32_t;

// Bytes [bytes.lower, bytes.upper) of a piece, counted from its place, in one column.
struct Cell {
  Column column = 0;
  ByteRange bytes;
};

struct Piece {
  std::uint32_t task = 0;
  std::uint64_t extent = 0;
  std::uint64_t alignment = 1;
  std::optional<std::uint64_t> fixed;
  std::uint32_t first_cell = 0;
  std::uint32_t cell_count = 0;
  HalfOpen<Column> columns;  // from its first cell's to its last's
  std::uint32_t twins = 0;   // pieces with the same number differ in nothing but their task

  std::uint64_t align_up(std::uint64_t place) const {
    return (place + alignment - 1) & ~(alignment - 1);
  }
};

// A piece's presence in a column.
struct Entry {
  std::uint32_t piece = 0;
  std::uint32_t cell = 0;
};

// A problem made ready for exact search: bytes in the largest unit that divides them all, time in
// columns. A slot in which fewer tasks live than in a neighbour asks for nothing that the neighbour
// does not; what is left are the maximal sets of tasks that live together.
class Board {
 public:
  // Nothing where the board would hold more than `most_cells` cells.
  static std::optional<Board> of(const Problem& problem, const Shortcuts& shortcuts,
                                 std::size_t most_cells);

  std::span<const Piece> pieces() const { return pieces_; }
  std::span<const Cell> cells(const Piece& piece) const {
    return std::span(cells_).subspan(piece.first_cell, piece.cell_count);
  }
  const Cell& cell(std::uint32_t index) const { return cells_[index]; }
  Column column_count() const { return static_cast<Column>(entries_.size()); }
  std::span<const Entry> entries(Column column) const { return entries_[column]; }
  // Sum of the cells of a column.
  std::uint64_t load(Column column) const { return loads_[column]; }
  // Bytes to the unit.
  std::uint64_t unit() const { return unit_; }

 private:
  Board() = default;
  void count_twins();

  std::vector<Piece> pieces_;
  std::vector<Cell> cells_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<std::uint64_t> loads_;
  std::uint64_t unit_ = 1;
};

}  // namespace berth
