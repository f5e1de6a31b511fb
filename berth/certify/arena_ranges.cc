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

// Adds the globals, or the planes of a phase, in order, and their ids in the same. What breaks the
// rules by one or two of them: those that overlap stand beside each other somewhere.
std::optional<Finding> add_in_order(const PlaneTable& planes, std::optional<PhaseId> phase,
                                    std::size_t count, std::vector<AddressRange>& to,
                                    std::vector<RangeId>& ids) {
  for (std::uint32_t i = 0; i < count; ++i) {
    ids.push_back({phase, i});
    if (const auto bad = find_bad(planes, ids.back())) return bad;
  }
  std::ranges::sort(ids, {}, [&](const RangeId& id) { return std::pair(planes[id].address, id); });
  for (std::size_t i = 0; i < count; ++i) {
    to.push_back(planes[ids[i]].extent());
    if (i == 0 || !to.back().overlaps(to[to.size() - 2])) continue;
    return SharedRanges{std::min(ids[i - 1], ids[i]), std::max(ids[i - 1], ids[i])};
  }
  return std::nullopt;
}

}  // namespace

const AddressRange* first_from(Stretches stretches, WideAddress address) {
  const auto first = std::ranges::upper_bound(stretches, address, {}, &AddressRange::upper);
  return first == stretches.end() ? nullptr : &*first;
}

std::vector<AddressRange> merged(std::span<const Window> windows) {
  std::vector<AddressRange> sorted;
  for (const auto& [address, bytes] : windows) sorted.push_back(addresses(address, bytes));
  std::ranges::sort(sorted, {}, &AddressRange::lower);
  std::vector<AddressRange> stretches;
  for (const AddressRange& window : sorted) {
    if (stretches.empty() || stretches.back().upper < window.lower) stretches.push_back(window);
    stretches.back().upper = std::max(stretches.back().upper, window.upper);
  }
  return stretches;
}

ArenaRanges::ArenaRanges(const PlaneTable& planes) : windows_(merged(planes.windows())) {
  fault_ = place(planes);
}

std::optional<Finding> ArenaRanges::place(const PlaneTable& planes) {
  std::vector<RangeId> global_ids;
  const auto fault =
      add_in_order(planes, std::nullopt, planes.globals().size(), globals_, global_ids);
  if (fault) return fault;
  for (std::size_t i = 0; i < planes.phases().size(); ++i) {
    const PhaseId phase(i);
    std::vector<RangeId> ids;
    const auto own_fault = add_in_order(planes, phase, planes[phase].planes.size(), planes_, ids);
    if (own_fault) return own_fault;
    begin_.push_back(planes_.size());
    sieves_.emplace_back(this->planes(phase));
    for (const RangeId& id : ids) {
      const AddressRange plane = planes[id].extent();
      const AddressRange* global = first_from(globals(), plane.lower);
      if (global == nullptr || !global->overlaps(plane)) continue;
      return SharedRanges{global_ids[static_cast<std::size_t>(global - globals_.data())], id};
    }
  }
  return std::nullopt;
}

bool ArenaRanges::allow(PhaseId phase, AddressRange words) const {
  const AddressRange* window = first_from(windows(), words.lower);
  if (window == nullptr || !window->overlaps(words)) return true;
  for (const Stretches named : {planes(phase), globals()}) {
    const AddressRange* range = first_from(named, words.lower);
    if (range != nullptr && range->covers(words)) return true;
  }
  return false;
}

// Most words are no addresses, and most addresses pass the sieve. What is left over by one loop is
// handed to the next without a branch, since nobody can foretell it.
bool ArenaRanges::allow_each(PhaseId phase, std::span<const std::uint64_t> words) const {
  if (windows_.empty()) return true;
  const auto first = static_cast<std::uint64_t>(windows_.front().lower);
  const auto last = static_cast<std::uint64_t>(windows_.back().upper - 1);
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
      if (!allow(phase, at_one_address(left[i]))) return false;
    }
  }
  return true;
}

}  // namespace berth
