#include "berth/certify/meetings.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <tuple>

#include "berth/certify/held.h"

// A sweep over time. The ranges held at a step lie in an ordered map by first byte; they are
// disjoint as long as nobody has met, so a range that comes in can meet only its two neighbours:
//
//   bytes   0       128      256      384
//           |   a    |        |   b    |         held
//               |      c       |                 comes in: below it a, above it b
//
// One that meets is named and left out, which keeps the map disjoint.

namespace berth {
namespace {

struct Piece {
  std::size_t buffer = 0;
  Held held;
};

enum class Edge { End, Start };  // In this order: what is freed at a step is free there.

struct Event {
  Step step = 0;
  Edge edge = Edge::End;
  std::size_t piece = 0;

  friend auto operator<=>(const Event&, const Event&) = default;
};

using Active = std::map<std::uint64_t, const Piece*>;  // by first byte, disjoint

SharedBytes meeting_of(const Piece& a, const Piece& b, Step step) {
  const ByteRange& left = a.held.bytes;
  const ByteRange& right = b.held.bytes;
  return {std::min(a.buffer, b.buffer), std::max(a.buffer, b.buffer), step,
          ByteRange{std::max(left.lower, right.lower), std::min(left.upper, right.upper)}};
}

// In its first step a taker's bytes are its donor's, who answers for them.
void leave_first_step_to_donor(Held& held, const PlannedBuffer& taker) {
  if (held.steps.lower == taker.life.lower) ++held.steps.lower;
}

std::vector<Piece> pieces_of(const Plan& plan, const std::vector<std::size_t>& storage) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (storage[i] != i) continue;
    for (Held held : held_by(plan.buffers[i])) {
      if (plan.buffers[i].reuses) leave_first_step_to_donor(held, plan.buffers[i]);
      if (!held.steps.empty()) pieces.push_back({i, held});
    }
  }
  return pieces;
}

std::vector<Event> events_of(const std::vector<Piece>& pieces) {
  std::vector<Event> events;
  events.reserve(2 * pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    events.push_back({pieces[i].held.steps.lower, Edge::Start, i});
    events.push_back({pieces[i].held.steps.upper, Edge::End, i});
  }
  std::sort(events.begin(), events.end());
  return events;
}

// The neighbour in `active` that meets the piece, the lower one first.
const Piece* neighbour_met(const Active& active, const Piece& piece) {
  const auto above = active.lower_bound(piece.held.bytes.lower);
  if (above != active.begin()) {
    const Piece* below = std::prev(above)->second;
    if (below->held.bytes.overlaps(piece.held.bytes)) return below;
  }
  if (above != active.end() && above->second->held.bytes.overlaps(piece.held.bytes)) {
    return above->second;
  }
  return nullptr;
}

void add_swept_meetings(const Plan& plan, const std::vector<Piece>& pieces,
                        std::vector<SharedBytes>& meetings) {
  std::vector<Active> active_by_arena(plan.arenas.size());
  for (const Event& event : events_of(pieces)) {
    const Piece& piece = pieces[event.piece];
    Active& active = active_by_arena[plan.buffers[piece.buffer].arena];
    if (event.edge == Edge::End) {
      const auto at = active.find(piece.held.bytes.lower);
      if (at != active.end() && at->second == &piece) active.erase(at);
    } else if (const Piece* met = neighbour_met(active, piece)) {
      meetings.push_back(meeting_of(*met, piece, event.step));
    } else {
      active.emplace(piece.held.bytes.lower, &piece);
    }
  }
}

// What the sweep leaves to the donors: two that take over one storage in the same step. Sorted by
// storage and first byte, each is compared with the one that reaches furthest before it.
void add_meetings_of_takers(const Plan& plan, const std::vector<std::size_t>& storage,
                            std::vector<SharedBytes>& meetings) {
  struct Taker {
    std::size_t from = 0;
    std::size_t arena = 0;
    Step step = 0;
    Piece piece;
  };
  std::vector<Taker> takers;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (!buffer.reuses || storage[i] != i) continue;
    const auto held = held_by(buffer);
    if (held.empty() || held.front().steps.lower != buffer.life.lower) continue;
    takers.push_back({storage[*buffer.reuses], buffer.arena, buffer.life.lower, {i, held.front()}});
  }
  std::sort(takers.begin(), takers.end(), [](const Taker& a, const Taker& b) {
    const auto key = [](const Taker& t) {
      return std::tuple(t.from, t.arena, t.step, t.piece.held.bytes.lower, t.piece.buffer);
    };
    return key(a) < key(b);
  });
  const Taker* furthest = nullptr;
  for (const Taker& taker : takers) {
    const bool same_step = furthest && furthest->from == taker.from &&
                           furthest->arena == taker.arena && furthest->step == taker.step;
    if (same_step && furthest->piece.held.bytes.overlaps(taker.piece.held.bytes)) {
      meetings.push_back(meeting_of(furthest->piece, taker.piece, taker.step));
    }
    if (!same_step || furthest->piece.held.bytes.upper < taker.piece.held.bytes.upper) {
      furthest = &taker;
    }
  }
}

}  // namespace

std::vector<SharedBytes> find_meetings(const Plan& plan, const std::vector<std::size_t>& storage) {
  std::vector<SharedBytes> meetings;
  add_swept_meetings(plan, pieces_of(plan, storage), meetings);
  add_meetings_of_takers(plan, storage, meetings);
  std::sort(meetings.begin(), meetings.end(), [](const SharedBytes& a, const SharedBytes& b) {
    const auto key = [](const SharedBytes& m) {
      return std::tuple(m.step, m.first, m.second, m.bytes.lower);
    };
    return key(a) < key(b);
  });
  return meetings;
}

}  // namespace berth
