#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "berth/plan/board.h"

namespace berth {

// A board that is being filled, with undo.
//
// Each column has a floor: everything below it is decided, taken or wasted for good. A piece put
// down higher up stands over the floor until that rises to meet it:
//
//        | B B |   |      columns 0 1 2; A was put at 0, B on it
//        | B B |   |      floors  4 4 0
//        | A . | C |      the byte under B in column 1 is wasted, C stands over the floor of
//        | A . |   |      column 2
//
// For each piece still to come it keeps the lowest place that floors, what stands, and alignment
// leave it. From these follow more: no byte of a column below the lowest place of what is to come
// there can be used, so its floor rises, which pushes other pieces up, and so on until nothing
// changes. It is a dead end once a column has wasted more than its slack, or a piece must end above
// the capacity.
class Floors {
 public:
  static constexpr auto kNever = std::numeric_limits<std::uint64_t>::max();

  Floors(const Board& board, const Shortcuts& shortcuts);

  // Starts anew under this capacity. False if that is a dead end.
  bool reset(std::uint64_t capacity);

  // Each is false if it leads to a dead end; the state is then good only for `undo`.
  bool put(std::uint32_t piece, std::uint64_t place);
  bool lift(Column column, std::uint64_t floor);

  // `undo(mark())` in between takes everything back that came after.
  std::size_t mark() const { return trail_.size(); }
  void undo(std::size_t mark);

  std::uint64_t floor(Column column) const { return columns_[column].floor; }
  // What the column may still waste.
  std::uint64_t slack(Column column) const {
    const auto needed = board_.load(column) + columns_[column].wasted;
    return capacity_ - std::min(capacity_, needed);
  }
  bool is_full(Column column) const { return columns_[column].to_come == 0; }
  // How many pieces to come have their lowest byte there on the floor, if they take their lowest
  // place: no others can lie there.
  std::uint32_t on_floor(Column column) const { return columns_[column].on_floor; }
  bool is_put(std::uint32_t piece) const { return is_put_[piece]; }
  // The place of a piece that is put, else the lowest that is left to it.
  std::uint64_t place(std::uint32_t piece) const { return places_[piece]; }
  std::uint64_t pieces_to_come() const { return pieces_to_come_; }

  // Where the lowest byte of what is to come in the column can be, if not on the floor. A piece in
  // a solution that cannot be pushed down rests on another, so no byte between is of use.
  std::uint64_t next_level(Column column) const;

  // Columns and pieces looked at so far: the cost of everything done.
  std::uint64_t looks() const { return looks_; }

  // Where the last dead end showed, and the least capacity that would not have made it one.
  Column dead_column() const { return dead_column_; }
  std::uint64_t capacity_needed() const { return capacity_needed_; }

 private:
  struct State {
    std::uint64_t floor = 0;
    std::uint64_t wasted = 0;
    std::uint32_t to_come = 0;
    std::uint32_t on_floor = 0;
  };
  // One thing to take back.
  struct Change {
    enum class Kind { Raised, Moved, Counted, Put, Stood, Fell };
    Kind kind = Kind::Raised;
    std::uint32_t index = 0;     // of the column or piece
    std::uint32_t position = 0;  // Fell: where in the list of what stands
    std::uint64_t first = 0;     // floor, place, or what fell
    std::uint64_t second = 0;
  };

  bool raise(Column column, std::uint64_t floor);
  void stand(Column column, ByteRange bytes);
  std::uint64_t lowest_place(std::uint32_t index);
  std::uint64_t next_place(std::uint32_t piece, std::uint64_t above) const;
  bool settle();
  bool settle_piece(std::uint32_t piece);
  bool settle_column(Column column);
  void sort_by_bottom(Column column);
  void count_on_floor(Column column);
  bool stacks_up(Column column);
  std::uint64_t bottom(const Entry& entry) const {
    return places_[entry.piece] + board_.cell(entry.cell).bytes.lower;
  }
  void concern(Column column);
  void concern_pieces_in(Column column, ByteRange bytes);
  void forget_concerns();
  bool dead_end(Column column, std::uint64_t needed);

  const Board& board_;
  Shortcuts shortcuts_;
  std::uint64_t capacity_ = 0;

  std::vector<State> columns_;
  std::vector<std::vector<ByteRange>> standing_;  // by column, above its floor
  std::vector<std::vector<Entry>> by_bottom_;     // by column, as when it was last settled
  std::vector<std::uint64_t> places_;
  std::vector<char> is_put_;
  std::uint64_t pieces_to_come_ = 0;
  std::vector<Change> trail_;

  std::vector<std::uint32_t> pieces_concerned_;
  std::vector<char> is_piece_concerned_;
  std::vector<Column> columns_concerned_;
  std::vector<char> is_column_concerned_;

  std::uint64_t looks_ = 0;
  Column dead_column_ = 0;
  std::uint64_t capacity_needed_ = 0;
};

}  // namespace berth
