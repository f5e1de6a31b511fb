#include "berth/plan/occupancy.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace berth {
namespace {

constexpr std::uint32_t kRoot = 1;

// A node and the slots that it stands for.
struct Span {
  std::uint32_t node = kRoot;
  SlotRange slots;

  std::uint32_t middle() const { return slots.lower + (slots.upper - slots.lower) / 2; }
  Span left() const { return {2 * node, {slots.lower, middle()}}; }
  Span right() const { return {2 * node + 1, {middle(), slots.upper}}; }
};

// Calls `above` for each node that holds more than `slots`, and `within` for the few that together
// make them up. As deep as the tree, which is at most 32.
template <typename Above, typename Within>
void visit(Span at, SlotRange slots, const Above& above, const Within& within) {
  if (slots.covers(at.slots)) {
    within(at.node);
    return;
  }
  above(at.node);
  if (slots.lower < at.middle()) visit(at.left(), slots, above, within);
  if (at.middle() < slots.upper) visit(at.right(), slots, above, within);
}

}  // namespace

Occupancy::Occupancy(Slot slots)
    : leaves_(std::bit_ceil(std::max<Slot>(slots, 1))),
      nodes_(2 * std::size_t{leaves_}),
      sets_(1) {}

RangeSet& Occupancy::set(SetIndex& index) {
  if (index == 0) {
    index = static_cast<SetIndex>(sets_.size());
    sets_.emplace_back();
  }
  return sets_[index];
}

void Occupancy::add(std::span<const Rect> rects, std::uint64_t place) {
  for (const Rect& rect : rects) {
    const ByteRange taken = {place + rect.bytes.lower, place + rect.bytes.upper};
    const auto above = [&](std::uint32_t node) { work_ += set(nodes_[node].below).add(taken); };
    const auto within = [&](std::uint32_t node) {
      above(node);
      work_ += set(nodes_[node].across).add(taken);
    };
    visit({kRoot, {0, leaves_}}, rect.slots, above, within);
  }
}

FreePlaces::FreePlaces(Occupancy& occupancy, const Task& task, std::span<const Rect> rects)
    : occupancy_(occupancy), task_(task) {
  for (const Rect& rect : rects) watch(rect);
}

void FreePlaces::watch(const Rect& rect) {
  const auto add = [&](Occupancy::SetIndex set) {
    const auto ranges = occupancy_.sets_[set].ranges();
    if (ranges.empty()) return;
    watches_.push_back({ranges.data(), ranges.data() + ranges.size(), rect.bytes});
  };
  visit(
      {kRoot, {0, occupancy_.leaves_}}, rect.slots,
      [&](std::uint32_t node) { add(occupancy_.nodes_[node].across); },
      [&](std::uint32_t node) { add(occupancy_.nodes_[node].below); });
}

std::uint64_t FreePlaces::at_or_above(std::uint64_t from) {
  std::uint64_t place = task_.align_up(from);
  std::size_t agreeing = 0;  // watches in a row that have nothing against this place
  for (std::size_t i = 0; agreeing < watches_.size(); i = i + 1 < watches_.size() ? i + 1 : 0) {
    Watch& watch = watches_[i];
    ++agreeing;
    while (true) {
      while (watch.next != watch.end && watch.next->upper <= place + watch.bytes.lower) {
        ++watch.next;
        ++occupancy_.work_;
      }
      if (watch.next == watch.end || place + watch.bytes.upper <= watch.next->lower) break;
      place = task_.align_up(watch.next->upper - watch.bytes.lower);
      agreeing = 1;
    }
  }
  occupancy_.work_ += watches_.size();
  return place;
}

std::optional<std::uint64_t> FreePlaces::highest_in_reach() {
  auto highest = std::numeric_limits<std::uint64_t>::max();
  bool open = true;
  for (const Watch& watch : watches_) {
    if (watch.next == watch.end) continue;
    open = false;
    highest = std::min(highest, watch.next->lower - watch.bytes.upper);
  }
  occupancy_.work_ += watches_.size();
  if (open) return std::nullopt;
  return highest;
}

}  // namespace berth
