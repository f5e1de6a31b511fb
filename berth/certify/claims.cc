#include "berth/certify/claims.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/certify/held.h"
#include "berth/certify/relations.h"

namespace berth {
namespace {

enum class Sizes { Padded, Unpadded };

struct Load {
  LiveRange steps;
  Bytes bytes;
};

struct LargestSum {
  Bytes bytes;
  Step step = 0;  // the earliest that has it
};

// What a buffer adds to the load over a stretch of its life. Bytes kept in a gap are not padded,
// nor is what a taker needs of the buffer on which it stands, unless it needs all of it.
Bytes load_of(const Held& held, const PlannedBuffer& buffer, const PlannedBuffer& host,
              Alignment unit, Sizes sizes) {
  if (!held.whole) return Bytes(held.bytes.upper - held.bytes.lower);
  const bool all_of_host = buffer.offset == host.offset && buffer.bytes == host.bytes;
  if (sizes == Sizes::Unpadded || !all_of_host) return buffer.bytes;
  return round_up(host.skew + host.bytes, unit);
}

std::vector<std::vector<Load>> loads_by_arena(const Plan& plan,
                                              const std::vector<std::size_t>& storage,
                                              const std::vector<std::size_t>& hosts, Sizes sizes) {
  std::vector<std::vector<Load>> by_arena(plan.arenas.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (storage[i] != i) continue;
    const PlannedBuffer& host = plan.buffers[hosts[i]];
    const Alignment unit = plan.arenas[buffer.arena].unit;
    for (Held held : held_by(buffer)) {
      // Its donor, no smaller, counts for both in the step that they share.
      if (buffer.reuses && held.steps.lower == buffer.life.lower) ++held.steps.lower;
      if (held.steps.empty()) continue;
      by_arena[buffer.arena].push_back({held.steps, load_of(held, buffer, host, unit, sizes)});
    }
  }
  return by_arena;
}

// Nothing where a sum does not fit 64 bits.
std::optional<LargestSum> largest_sum(const std::vector<Load>& loads) {
  struct Change {
    Step step = 0;
    bool starts = false;  // what ends at a step is taken off first
    Bytes bytes;
  };
  std::vector<Change> changes;
  changes.reserve(2 * loads.size());
  for (const Load& load : loads) {
    changes.push_back({load.steps.lower, true, load.bytes});
    changes.push_back({load.steps.upper, false, load.bytes});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.step, a.starts) < std::pair(b.step, b.starts);
  });
  LargestSum largest;
  Bytes sum;
  for (const Change& change : changes) {
    if (!change.starts) {
      sum -= change.bytes;
      continue;
    }
    const auto more = checked_add(sum, change.bytes);
    if (!more) return std::nullopt;
    sum = *more;
    // Only starts follow at this step, so the sum on the way to a step's load never passes it.
    if (largest.bytes < sum) largest = {sum, change.step};
  }
  return largest;
}

std::optional<std::uint64_t> count_of(const std::optional<LargestSum>& sum) {
  return sum ? std::optional(sum->bytes.count()) : std::nullopt;
}

void check_arena(const PlannedArena& planned, std::size_t arena, const std::vector<Load>& padded,
                 const std::vector<Load>& unpadded, PlacementVerdict& verdict) {
  using enum WrongClaim::Claim;
  const ArenaFigures& claimed = planned.figures;
  const auto load = largest_sum(padded);
  if (!load || load->bytes != claimed.max_load) {
    verdict.add(WrongClaim{arena, MaxLoad, claimed.max_load.count(), count_of(load)});
  } else if (load->bytes > Bytes(0) && load->step != claimed.peak_step) {
    verdict.add(WrongClaim{arena, PeakStep, claimed.peak_step, load->step});
  }
  const auto raw = largest_sum(unpadded);
  if (!raw || raw->bytes != claimed.max_load_unpadded) {
    verdict.add(
        WrongClaim{arena, MaxLoadUnpadded, claimed.max_load_unpadded.count(), count_of(raw)});
  }
  const std::uint64_t bound = claimed.lower_bound.count();
  if (load && claimed.lower_bound < load->bytes) {
    verdict.add(WrongClaim{arena, LowerBoundBelowLoad, bound, load->bytes.count()});
  }
  // Buffers that share bytes fit into less than any bound: that is their fault, told already.
  if (claimed.lower_bound > claimed.peak && verdict.count<SharedBytes>() == 0) {
    verdict.add(WrongClaim{arena, LowerBoundAbovePeak, bound, claimed.peak.count()});
  }
  const bool proved_least = claimed.proved_least();
  if (planned.claims_proved_least.value_or(proved_least) != proved_least) {
    verdict.add(WrongClaim{arena, ProvedLeast, claimed.peak.count(), bound});
  }
}

}  // namespace

void check_claims(const Plan& plan, const std::vector<std::size_t>& storage,
                  PlacementVerdict& verdict) {
  const auto hosts = hosts_of(plan, storage);
  const auto padded = loads_by_arena(plan, storage, hosts, Sizes::Padded);
  const auto unpadded = loads_by_arena(plan, storage, hosts, Sizes::Unpadded);
  for (std::size_t arena = 0; arena < plan.arenas.size(); ++arena) {
    check_arena(plan.arenas[arena], arena, padded[arena], unpadded[arena], verdict);
  }
}

}  // namespace berth
