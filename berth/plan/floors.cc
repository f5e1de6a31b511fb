#include "berth/plan/floors.h"

#include <algorithm>
#include <cassert>

namespace berth {

Floors::Floors(const Board& board, const Shortcuts& shortcuts)
    : board_(board),
      shortcuts_(shortcuts),
      columns_(board.column_count()),
      standing_(board.column_count()),
      by_bottom_(board.column_count()),
      places_(board.pieces().size()),
      is_put_(board.pieces().size()),
      is_piece_concerned_(board.pieces().size()),
      is_column_concerned_(board.column_count()) {}

bool Floors::reset(std::uint64_t capacity) {
  capacity_ = capacity;
  trail_.clear();
  pieces_to_come_ = board_.pieces().size();
  for (Column column = 0; column < columns_.size(); ++column) {
    const auto entries = board_.entries(column);
    columns_[column] = {0, 0, static_cast<std::uint32_t>(entries.size()), 0};
    by_bottom_[column].assign(entries.begin(), entries.end());
    standing_[column].clear();
    if (board_.load(column) > capacity) return dead_end(column, board_.load(column));
  }
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    places_[i] = 0;
    is_put_[i] = 0;
    if (board_.pieces()[i].extent > capacity) return dead_end(0, board_.pieces()[i].extent);
  }
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    // What lives in no column meets nothing.
    const Piece& piece = board_.pieces()[i];
    const bool is_settled = piece.fixed || piece.cell_count == 0;
    if (is_settled && !put(i, piece.fixed.value_or(0))) return false;
  }
  for (Column column = 0; column < columns_.size(); ++column) concern(column);
  return settle();
}

bool Floors::put(std::uint32_t index, std::uint64_t place) {
  const Piece& piece = board_.pieces()[index];
  trail_.push_back({Change::Kind::Put, index, 0, places_[index], 0});
  is_put_[index] = 1;
  places_[index] = place;
  --pieces_to_come_;
  for (const Cell& cell : board_.cells(piece)) --columns_[cell.column].to_come;
  if (place + piece.extent > capacity_) {
    return dead_end(piece.columns.lower, place + piece.extent);
  }
  for (const Cell& cell : board_.cells(piece)) {
    stand(cell.column, {place + cell.bytes.lower, place + cell.bytes.upper});
    if (!raise(cell.column, columns_[cell.column].floor)) return false;
  }
  return settle();
}

bool Floors::lift(Column column, std::uint64_t floor) {
  // Also where there is no next level at all.
  if (floor > capacity_) return dead_end(column, floor);
  return raise(column, floor) && settle();
}

void Floors::undo(std::size_t mark) {
  while (trail_.size() > mark) {
    const Change change = trail_.back();
    trail_.pop_back();
    auto& standing = standing_[change.kind >= Change::Kind::Stood ? change.index : 0];
    switch (change.kind) {
      case Change::Kind::Raised:
        columns_[change.index].floor = change.first;
        columns_[change.index].wasted = change.second;
        break;
      case Change::Kind::Moved:
        places_[change.index] = change.first;
        break;
      case Change::Kind::Counted:
        columns_[change.index].on_floor = static_cast<std::uint32_t>(change.first);
        break;
      case Change::Kind::Put:
        is_put_[change.index] = 0;
        places_[change.index] = change.first;
        ++pieces_to_come_;
        for (const Cell& cell : board_.cells(board_.pieces()[change.index])) {
          ++columns_[cell.column].to_come;
        }
        break;
      case Change::Kind::Stood:
        standing.pop_back();
        break;
      case Change::Kind::Fell:
        // It left by the last one taking its position.
        standing.push_back({});
        standing.back() = standing[change.position];
        standing[change.position] = {change.first, change.second};
        break;
    }
  }
}

void Floors::stand(Column column, ByteRange bytes) {
  assert(bytes.lower >= columns_[column].floor);
  standing_[column].push_back(bytes);
  concern(column);
  concern_pieces_in(column, bytes);
  trail_.push_back({Change::Kind::Stood, column, 0, 0, 0});
}

// To at least `floor`, and on over whatever stands there.
bool Floors::raise(Column column, std::uint64_t floor) {
  assert(floor <= capacity_);
  State& state = columns_[column];
  auto& standing = standing_[column];
  std::uint64_t taken = 0;
  trail_.push_back({Change::Kind::Raised, column, 0, state.floor, state.wasted});
  for (std::size_t i = 0; i < standing.size();) {
    const ByteRange bytes = standing[i];
    if (bytes.lower > floor) {
      ++i;
      continue;
    }
    floor = std::max(floor, bytes.upper);
    taken += bytes.upper - bytes.lower;
    trail_.push_back(
        {Change::Kind::Fell, column, static_cast<std::uint32_t>(i), bytes.lower, bytes.upper});
    standing[i] = standing.back();
    standing.pop_back();
    i = 0;  // The floor may have come up to one that was passed over.
  }
  if (floor == state.floor) {
    trail_.pop_back();  // Nothing fell either: what stood on the floor would have raised it.
    return true;
  }
  state.wasted += floor - state.floor - taken;
  state.floor = floor;
  concern(column);
  concern_pieces_in(column, {0, floor});
  const auto needed = board_.load(column) + state.wasted;
  if (shortcuts_.load && needed > capacity_) return dead_end(column, needed);
  return true;
}

// It never comes down again, short of undo.
std::uint64_t Floors::lowest_place(std::uint32_t index) {
  const Piece& piece = board_.pieces()[index];
  const auto cells = board_.cells(piece);
  std::uint64_t place = places_[index];
  looks_ += cells.size();
  for (const Cell& cell : cells) {
    const auto floor = columns_[cell.column].floor;
    if (floor > place + cell.bytes.lower) place = floor - cell.bytes.lower;
  }
  place = piece.align_up(place);
  for (std::size_t i = 0; i < cells.size();) {
    bool moved = false;
    looks_ += standing_[cells[i].column].size();
    for (const ByteRange& bytes : standing_[cells[i].column]) {
      if (bytes.lower < place + cells[i].bytes.upper &&
          place + cells[i].bytes.lower < bytes.upper) {
        place = piece.align_up(bytes.upper - cells[i].bytes.lower);
        moved = true;
      }
    }
    i = moved ? 0 : i + 1;
  }
  return place;
}

void Floors::concern(Column column) {
  if (is_column_concerned_[column]) return;
  is_column_concerned_[column] = 1;
  columns_concerned_.push_back(column);
}

// Only pieces whose lowest place is now taken can have to move.
void Floors::concern_pieces_in(Column column, ByteRange bytes) {
  for (const Entry& entry : board_.entries(column)) {
    if (is_put_[entry.piece] || is_piece_concerned_[entry.piece]) continue;
    const auto& own = board_.cell(entry.cell).bytes;
    const auto place = places_[entry.piece];
    if (bytes.upper <= place + own.lower || place + own.upper <= bytes.lower) continue;
    is_piece_concerned_[entry.piece] = 1;
    pieces_concerned_.push_back(entry.piece);
  }
}

void Floors::forget_concerns() {
  for (const auto piece : pieces_concerned_) is_piece_concerned_[piece] = 0;
  for (const auto column : columns_concerned_) is_column_concerned_[column] = 0;
  pieces_concerned_.clear();
  columns_concerned_.clear();
}

// Pieces first, since columns draw on all of theirs.
bool Floors::settle() {
  for (;;) {
    if (!pieces_concerned_.empty()) {
      const auto piece = pieces_concerned_.back();
      pieces_concerned_.pop_back();
      is_piece_concerned_[piece] = 0;
      if (!is_put_[piece] && !settle_piece(piece)) return false;
    } else if (!columns_concerned_.empty()) {
      const auto column = columns_concerned_.back();
      columns_concerned_.pop_back();
      is_column_concerned_[column] = 0;
      if (!settle_column(column)) return false;
    } else {
      return true;
    }
  }
}

bool Floors::settle_piece(std::uint32_t index) {
  const Piece& piece = board_.pieces()[index];
  const auto place = lowest_place(index);
  if (place == places_[index]) return true;
  trail_.push_back({Change::Kind::Moved, index, 0, places_[index], 0});
  places_[index] = place;
  Column highest = piece.columns.lower;
  for (const Cell& cell : board_.cells(piece)) {
    if (columns_[cell.column].floor > columns_[highest].floor) highest = cell.column;
    concern(cell.column);
  }
  if (place + piece.extent > capacity_) return dead_end(highest, place + piece.extent);
  return true;
}

bool Floors::settle_column(Column column) {
  looks_ += board_.entries(column).size();
  sort_by_bottom(column);
  if (shortcuts_.lift && !is_full(column)) {
    const auto& by_bottom = by_bottom_[column];
    const auto lowest = std::find_if(by_bottom.begin(), by_bottom.end(),
                                     [&](const Entry& entry) { return !is_put_[entry.piece]; });
    if (bottom(*lowest) > columns_[column].floor && !raise(column, bottom(*lowest))) return false;
  }
  count_on_floor(column);
  return !shortcuts_.stacking || stacks_up(column);
}

// The order is near what it was when the column was last looked at, whatever was undone since.
void Floors::sort_by_bottom(Column column) {
  auto& entries = by_bottom_[column];
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry entry = entries[i];
    const auto own = bottom(entry);
    auto hole = i;
    for (; hole > 0 && bottom(entries[hole - 1]) > own; --hole) entries[hole] = entries[hole - 1];
    entries[hole] = entry;
  }
}

void Floors::count_on_floor(Column column) {
  State& state = columns_[column];
  std::uint32_t count = 0;
  for (const Entry& entry : by_bottom_[column]) {
    const auto own = bottom(entry);
    if (own > state.floor) break;
    if (own == state.floor && !is_put_[entry.piece]) ++count;
  }
  if (count == state.on_floor) return;
  trail_.push_back({Change::Kind::Counted, column, 0, state.on_floor, 0});
  state.on_floor = count;
}

// As jobs on one machine, none before its release: taking them in order of release ends earliest,
// and if that is too late, so is every other way.
bool Floors::stacks_up(Column column) {
  const auto floor = columns_[column].floor;
  std::uint64_t top = floor;
  for (const Entry& entry : by_bottom_[column]) {
    const auto own = bottom(entry);
    if (own < floor) continue;  // It is part of what the floor covers.
    const auto& bytes = board_.cell(entry.cell).bytes;
    top = std::max(top, own) + (bytes.upper - bytes.lower);
  }
  return top <= capacity_ || dead_end(column, top);
}

std::uint64_t Floors::next_level(Column column) const {
  const auto floor = columns_[column].floor;
  auto level = kNever;
  for (const Entry& entry : board_.entries(column)) {
    if (is_put_[entry.piece]) continue;
    const auto lower = board_.cell(entry.cell).bytes.lower;
    const auto lowest = places_[entry.piece];
    const auto place = lowest + lower > floor ? lowest : next_place(entry.piece, lowest);
    if (place != kNever) level = std::min(level, place + lower);
  }
  return level;
}

// Where it can come to rest above its lowest place: on another of its columns' pieces, which are
// where they were put, or at their lowest place or higher.
std::uint64_t Floors::next_place(std::uint32_t index, std::uint64_t above) const {
  const Piece& piece = board_.pieces()[index];
  const auto least = piece.align_up(above + 1);
  if (!shortcuts_.levels) return least;
  auto best = kNever;
  for (const Cell& cell : board_.cells(piece)) {
    for (const Entry& entry : board_.entries(cell.column)) {
      if (entry.piece == index) continue;
      const auto top = places_[entry.piece] + board_.cell(entry.cell).bytes.upper;
      const auto rest = top > cell.bytes.lower ? piece.align_up(top - cell.bytes.lower) : 0;
      if (rest > above) {
        best = std::min(best, rest);
      } else if (!is_put_[entry.piece]) {
        return least;  // It may yet be pushed up to just that.
      }
    }
    if (best == least) break;
  }
  return best;
}

bool Floors::dead_end(Column column, std::uint64_t needed) {
  forget_concerns();
  dead_column_ = column;
  capacity_needed_ = needed;
  return false;
}

}  // namespace berth
