#include "berth/certify/arena_ranges.h"

#include <algorithm>

#include "berth/certify/arena_filter.h"

namespace berth {
namespace {

std::optional<Finding> find_bad(const PlaneTable& planes, const RangeId& id) {
  using enum BadRange::Why;
  const NamedRange& range = planes[id];
  if (range.bytes == Bytes(0)) return BadRange{id, Empty};
  if (range.extent().upper > kAddressEnd) return BadRange{id, PastEnd};
  if (range.address.value() % planes.alignment() != 0) return BadRange{id, Misaligned};
  return std::nullopt;
}

// In order, two that overlap stand beside each other somewhere.
std::optional<Finding> find_shared(std::span<const PlacedRange> ranges) {
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const auto& [a, b] = std::minmax(ranges[i - 1].id, ranges[i].id);
    if (ranges[i - 1].at.overlaps(ranges[i].at)) return SharedRanges{a, b};
  }
  return std::nullopt;
}

std::optional<Finding> find_shared(std::span<const PlacedRange> ranges,
                                   std::span<const PlacedRange> others) {
  for (const PlacedRange& range : ranges) {
    const auto other = first_from(others, range.at.lower);
    if (other != others.end() && other->at.overlaps(range.at)) {
      return SharedRanges{other->id, range.id};
    }
  }
  return std::nullopt;
}

// Adds `count` ranges in order; what breaks the rules by one or two of them.
std::optional<Finding> place(const PlaneTable& planes, std::optional<PhaseId> phase,
                             std::size_t count, std::vector<PlacedRange>& to) {
  const std::size_t begin = to.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const RangeId id = {phase, i};
    if (const auto bad = find_bad(planes, id)) return bad;
    to.push_back({planes[id].extent(), id});
  }
  const auto added = std::span(to).subspan(begin);
  std::ranges::sort(added, [](const PlacedRange& a, const PlacedRange& b) {
    return a.at.lower != b.at.lower ? a.at.lower < b.at.lower : a.id < b.id;
  });
  return find_shared(added);
}

}  // namespace

WindowSet::WindowSet(std::span<const Window> windows) {
  std::vector<AddressRange> sorted;
  for (const auto& [address, bytes] : windows) sorted.push_back(addresses(address, bytes));
  std::ranges::sort(sorted, {}, &AddressRange::lower);
  for (const AddressRange& window : sorted) {
    if (stretches_.empty() || stretches_.back().upper < window.lower) {
      stretches_.push_back(window);
    } else {
      stretches_.back().upper = std::max(stretches_.back().upper, window.upper);
    }
  }
}

const AddressRange* WindowSet::first_from(WideAddress address) const {
  const auto first = std::ranges::upper_bound(stretches_, address, {}, &AddressRange::upper);
  return first == stretches_.end() ? nullptr : &*first;
}

AddressRange WindowSet::extent() const {
  if (stretches_.empty()) return {};
  return {stretches_.front().lower, stretches_.back().upper};
}

bool WindowSet::meets(AddressRange words) const {
  const AddressRange* stretch = first_from(words.lower);
  return stretch != nullptr && stretch->overlaps(words);
}

bool WindowSet::covers(AddressRange words) const {
  const AddressRange* stretch = first_from(words.lower);
  return stretch != nullptr && stretch->covers(words);
}

std::span<const PlacedRange>::iterator first_from(std::span<const PlacedRange> ranges,
                                                  WideAddress address) {
  return std::ranges::upper_bound(ranges, address, {},
                                  [](const PlacedRange& range) { return range.at.upper; });
}

std::variant<ArenaRanges, Finding> ArenaRanges::make(const PlaneTable& planes) {
  ArenaRanges ranges(planes);
  const auto fault = place(planes, std::nullopt, planes.globals().size(), ranges.globals_);
  if (fault) return *fault;
  for (std::size_t i = 0; i < planes.phases().size(); ++i) {
    const PhaseId phase(i);
    const auto own_fault = place(planes, phase, planes[phase].planes.size(), ranges.planes_);
    if (own_fault) return *own_fault;
    ranges.begin_.push_back(ranges.planes_.size());
    ranges.sieves_.emplace_back(ranges.planes(phase));
    const auto shared = find_shared(ranges.planes(phase), ranges.globals_);
    if (shared) return *shared;
  }
  return ranges;
}

std::span<const PlacedRange> ArenaRanges::planes(PhaseId phase) const {
  const std::size_t begin = begin_[phase.index()];
  return std::span(planes_).subspan(begin, begin_[phase.index() + 1] - begin);
}

const PlacedRange* ArenaRanges::find(PhaseId phase, AddressRange words) const {
  for (const auto& named : {planes(phase), globals()}) {
    const auto range = first_from(named, words.lower);
    if (range != named.end() && range->at.covers(words)) return &*range;
  }
  return nullptr;
}

bool ArenaRanges::allow(PhaseId phase, AddressRange words) const {
  return !windows_.meets(words) || find(phase, words) != nullptr;
}

// Most words are no addresses, and most addresses pass the sieve. What is left over by one loop is
// handed to the next without a branch, since nobody can foretell it.
bool ArenaRanges::allow_each(PhaseId phase, std::span<const std::uint64_t> words) const {
  const AddressRange windows = windows_.extent();
  if (windows.empty()) return true;
  const auto first = static_cast<std::uint64_t>(windows.lower);
  const auto last = static_cast<std::uint64_t>(windows.upper - 1);
  const AddressSieve& sieve = sieves_[phase.index()];
  FilteredWords left;
  while (!words.empty()) {
    const auto chunk = words.first(std::min(kFilterChunk, words.size()));
    words = words.subspan(chunk.size());
    const std::size_t in_windows = filter_words(chunk, first, last, left);
    std::size_t unknown = 0;
    for (std::size_t i = 0; i < in_windows; ++i) {
      const std::uint64_t word = left[i];
      left[unknown] = word;
      unknown += sieve.passes(word) ? 0 : 1;
    }
    for (std::size_t i = 0; i < unknown; ++i) {
      if (!allow(phase, {left[i], WideAddress(left[i]) + 1})) return false;
    }
  }
  return true;
}

std::optional<AddressRange> ArenaRanges::next_hole(PhaseId phase, WideAddress from) const {
  while (const AddressRange* window = windows_.first_from(from)) {
    AddressRange hole = {std::max(from, window->lower), window->upper};
    from = hole.lower;
    for (const auto& named : {globals(), planes(phase)}) {
      const auto range = first_from(named, hole.lower);
      if (range == named.end()) continue;
      if (range->at.contains(hole.lower)) from = range->at.upper;
      hole.upper = std::min(hole.upper, std::max(hole.lower, range->at.lower));
    }
    if (!hole.empty()) return hole;
  }
  return std::nullopt;
}

}  // namespace berth
