#include "berth/plan/occupancy.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace berth {
namespace {

// Calls `within` for the few nodes that together make up `slots`.
template <typename Within>
void visit_within(std::uint32_t leaves, SlotRange slots, const Within& within) {
  auto lower = leaves + slots.lower;
  auto upper = leaves + slots.upper;
  for (; lower < upper; lower /= 2, upper /= 2) {
    if (lower % 2 == 1) within(lower++);
    if (upper % 2 == 1) within(--upper);
  }
}

// Calls `above` for the nodes that hold some of `slots` and more: from the first slot up, and from
// the last up to where the two ways meet. Each way ends where `above` says that it is enough, which
// must then be enough for all that is higher.
template <typename Above>
void visit_above(std::uint32_t leaves, SlotRange slots, const Above& above) {
  const auto first = leaves + slots.lower;
  const auto last = leaves + slots.upper - 1;
  for (const auto leaf : {first, last}) {
    for (std::uint32_t height = 0; (leaf >> height) > 0; ++height) {
      const auto node = leaf >> height;
      if (leaf != first && node == first >> height) break;
      const auto held = (node << height) - leaves;
      const bool is_within = slots.covers({held, held + (Slot{1} << height)});
      if (!is_within && !above(node)) break;
    }
    if (first == last) break;
  }
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
    if (rect.slots.empty()) continue;
    const ByteRange taken = {place + rect.bytes.lower, place + rect.bytes.upper};
    visit_within(leaves_, rect.slots, [&](std::uint32_t node) {
      add_to(nodes_[node].across, taken);
      add_to(nodes_[node].below, taken);
    });
    // What a node below has, those above have, so all is done at the first that has it.
    visit_above(leaves_, rect.slots,
                [&](std::uint32_t node) { return add_to(nodes_[node].below, taken); });
  }
}

bool Occupancy::add_to(SetIndex& index, ByteRange taken) {
  const auto cost = set(index).add(taken);
  work_ += cost + 1;
  return cost > 0;
}

void Occupancy::clear() {
  for (RangeSet& set : sets_) set.clear();
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
  if (rect.slots.empty()) return;
  const auto& nodes = occupancy_.nodes_;
  visit_above(occupancy_.leaves_, rect.slots, [&](std::uint32_t node) {
    add(nodes[node].across);
    return true;
  });
  visit_within(occupancy_.leaves_, rect.slots, [&](std::uint32_t node) { add(nodes[node].below); });
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
