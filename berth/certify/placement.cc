#include "berth/certify/placement.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "berth/certify/claims.h"
#include "berth/certify/meetings.h"
#include "berth/certify/relations.h"

namespace berth {
namespace {

std::optional<MalformedBuffer::Why> gaps_fault(const PlannedBuffer& buffer) {
  using enum MalformedBuffer::Why;
  Step free_from = buffer.life.lower;
  for (const Gap& gap : buffer.gaps) {
    if (gap.steps.empty()) return EmptyGap;
    if (!buffer.life.covers(gap.steps)) return GapOutsideLife;
    if (gap.steps.lower < free_from) return GapsOutOfOrder;
    if (gap.kept && (gap.kept->empty() || gap.kept->upper > buffer.bytes.count())) {
      return KeptOutsideBuffer;
    }
    free_from = gap.steps.upper;
  }
  return std::nullopt;
}

std::optional<MalformedBuffer::Why> bytes_fault(const PlannedBuffer& buffer, Alignment unit) {
  using enum MalformedBuffer::Why;
  if (buffer.bytes == Bytes(0)) return std::nullopt;
  if (buffer.offset.value() < buffer.skew.count()) return StartsBeforeArena;
  if (!checked_add(Bytes(buffer.offset.value()), buffer.bytes)) return EndPast64Bits;
  const auto skewed = checked_add(buffer.skew, buffer.bytes);
  if (!skewed || !checked_round_up(*skewed, unit)) return ExtentPast64Bits;
  return std::nullopt;
}

std::optional<MalformedBuffer::Why> malformed(const PlannedBuffer& buffer, const Plan& plan) {
  using enum MalformedBuffer::Why;
  if (buffer.arena >= plan.arenas.size()) return NoSuchArena;
  if (buffer.life.empty()) return EmptyLife;
  if (const auto why = gaps_fault(buffer)) return why;
  if (const auto why = bytes_fault(buffer, plan.arenas[buffer.arena].unit)) return why;
  if (buffer.view_of && *buffer.view_of >= plan.buffers.size()) return NoSuchBase;
  if (buffer.reuses && *buffer.reuses >= plan.buffers.size()) return NoSuchDonor;
  if (buffer.view_of && buffer.reuses) return ViewThatReuses;
  return std::nullopt;
}

void check_form(const Plan& plan, PlacementVerdict& verdict) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (const auto why = malformed(plan.buffers[i], plan)) verdict.add(MalformedBuffer{i, *why});
  }
}

void check_views_end(const std::vector<std::size_t>& storage, PlacementVerdict& verdict) {
  for (std::size_t i = 0; i < storage.size(); ++i) {
    if (storage[i] < storage.size()) continue;
    verdict.add(MalformedBuffer{i, MalformedBuffer::Why::ViewOfItself});
  }
}

std::uint64_t end_of(const PlannedBuffer& buffer) {
  return buffer.offset.value() + buffer.bytes.count();
}

// What an arena's first byte must be a multiple of: what the arena says, and what its buffers do.
std::vector<Alignment> alignments_of(const Plan& plan) {
  std::vector<Alignment> alignments;
  for (const PlannedArena& arena : plan.arenas) alignments.push_back(arena.alignment);
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.bytes == Bytes(0)) continue;
    alignments[buffer.arena] = std::max(alignments[buffer.arena], buffer.alignment);
  }
  return alignments;
}

// The arena's own bytes, or those that its buffers reach if it should own to fewer.
std::vector<Bytes> needs_of(const Plan& plan) {
  std::vector<Bytes> needs;
  needs.reserve(plan.arenas.size());
  for (const PlannedArena& arena : plan.arenas) needs.push_back(arena.figures.peak);
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.bytes == Bytes(0)) continue;
    needs[buffer.arena] = std::max(needs[buffer.arena], Bytes(end_of(buffer)));
  }
  return needs;
}

// What a plan keeps apart takes of an arena's device: for all the run, or at the step at which most
// of it is live. At least what the plan says of it; past 64 bits, all there is.
Bytes beside_of(const Plan& plan, const PlannedArena& arena) {
  std::vector<std::pair<Step, Bytes>> begin;
  std::vector<std::pair<Step, Bytes>> end;
  std::optional<Bytes> sum = Bytes(0);
  for (const KeptTensor& kept : plan.kept) {
    if (kept.device != arena.device) continue;
    const auto bytes = checked_round_up(kept.bytes, arena.unit);
    if (!bytes) return Bytes(UINT64_MAX);
    if (kept.life) {
      begin.emplace_back(kept.life->lower, *bytes);
      end.emplace_back(kept.life->upper, *bytes);
    } else {
      sum = sum ? checked_add(*sum, *bytes) : sum;
    }
  }
  std::ranges::sort(begin);
  std::ranges::sort(end);
  std::optional<Bytes> most = sum;
  std::size_t ended = 0;
  for (const auto& [step, bytes] : begin) {
    for (; ended < end.size() && end[ended].first <= step; ++ended) {
      if (sum) *sum = *sum - end[ended].second;
    }
    sum = sum ? checked_add(*sum, bytes) : sum;
    most = most && sum ? std::optional(std::max(*most, *sum)) : std::nullopt;
  }
  return std::max(arena.beside, most.value_or(Bytes(UINT64_MAX)));
}

void check_arenas(const Plan& plan, PlacementVerdict& verdict) {
  const std::vector<Bytes> needs = needs_of(plan);
  const std::vector<Alignment> alignments = alignments_of(plan);
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const PlannedArena& arena = plan.arenas[i];
    const std::uint64_t address = arena.address.value();
    if (address % alignments[i].value() != 0) {
      verdict.add(MisplacedArena{i, alignments[i], false});
    }
    if (addresses(arena.address, needs[i]).upper > kAddressEnd) {
      verdict.add(MisplacedArena{i, alignments[i], true});
    }
    if (!arena.capacity) continue;
    const Bytes beside = beside_of(plan, arena);
    const auto taken = checked_add(arena.reserve, beside);
    const Bytes usable = !taken || *arena.capacity < *taken ? Bytes(0) : *arena.capacity - *taken;
    // Where nothing is placed, what is reserved and stands beside can still be too much.
    const bool is_full = !taken || *taken > *arena.capacity;
    if (is_full || needs[i] > usable) {
      verdict.add(PastCapacity{i, needs[i], *arena.capacity, usable, beside});
    }
  }
}

// Whose addresses an arena takes. Devices have addresses of their own; the launches that a plan on
// a target becomes name all its memories in one space.
std::string_view space_of(const Plan& plan, std::size_t arena) {
  return plan.target ? std::string_view() : std::string_view(plan.arenas[arena].device);
}

// Sorted by space and first address, each arena is compared with the one that reaches furthest
// before it. An arena is a stretch of its own: two may not share addresses at any time.
void check_addresses(const Plan& plan, PlacementVerdict& verdict) {
  struct Stretch {
    std::string_view space;
    AddressRange addresses;
    std::size_t arena = 0;
  };
  const std::vector<Bytes> needs = needs_of(plan);
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const AddressRange its = addresses(plan.arenas[i].address, needs[i]);
    if (its.empty() || its.upper > kAddressEnd) continue;  // One past 2^64 is told by itself.
    stretches.push_back({space_of(plan, i), its, i});
  }
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return std::tuple(a.space, a.addresses.lower, a.arena) <
           std::tuple(b.space, b.addresses.lower, b.arena);
  });
  const Stretch* furthest = nullptr;
  for (const Stretch& it : stretches) {
    const bool same_space = furthest && furthest->space == it.space;
    if (same_space && furthest->addresses.overlaps(it.addresses)) {
      const auto upper = std::min(furthest->addresses.upper, it.addresses.upper);
      verdict.add(SharedAddresses{furthest->arena, it.arena, {it.addresses.lower, upper}});
    }
    if (!same_space || furthest->addresses.upper < it.addresses.upper) furthest = &it;
  }
}

void check_places(const Plan& plan, PlacementVerdict& verdict) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (buffer.bytes == Bytes(0)) continue;
    const Offset place(buffer.offset.value() - buffer.skew.count());
    const Bytes arena_bytes = plan.arenas[buffer.arena].figures.peak;
    if (place.value() % buffer.alignment.value() != 0) verdict.add(Misaligned{i, place});
    if (end_of(buffer) > arena_bytes.count()) {
      verdict.add(PastArenaEnd{i, end_of(buffer), arena_bytes});
    }
    if (buffer.fixed && *buffer.fixed != place) verdict.add(MovedFixed{i, *buffer.fixed, place});
  }
}

}  // namespace

PlacementVerdict check_placement(const Plan& plan) {
  PlacementVerdict verdict;
  check_form(plan, verdict);
  if (!verdict.sound()) return verdict;  // What follows may index and add without asking.
  const auto storage = storage_of(plan);
  check_views_end(storage, verdict);
  if (!verdict.sound()) return verdict;

  check_arenas(plan, verdict);
  check_addresses(plan, verdict);
  check_places(plan, verdict);
  check_relations(plan, storage, verdict);
  for (const SharedBytes& meeting : find_meetings(plan, storage)) verdict.add(meeting);
  // What is wrongly shared or related adds up to nothing that a figure could be held against.
  const auto unrelated =
      verdict.count<BadView>() + verdict.count<BadReuse>() + verdict.count<SharedBytes>();
  if (unrelated == 0) check_claims(plan, storage, verdict);
  return verdict;
}

}  // namespace berth
