#include "berth/certify/relations.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "berth/certify/held.h"

namespace berth {
namespace {

ByteRange bytes_of(const PlannedBuffer& buffer) {
  return {buffer.offset.value(), buffer.offset.value() + buffer.bytes.count()};
}

// `base_held` is what the base holds.
std::optional<BadView::Why> view_fault(const PlannedBuffer& view, const PlannedBuffer& base,
                                       const std::vector<Held>& base_held) {
  using enum BadView::Why;
  if (view.arena != base.arena) return OtherArena;
  if (!bytes_of(base).covers(bytes_of(view))) return OutsideBytes;
  if (!base.life.covers(view.life)) return OutsideLife;
  if (base.gaps.empty()) return std::nullopt;
  const auto view_held = held_by(view);
  const bool covered = std::all_of(view_held.begin(), view_held.end(),
                                   [&](const Held& part) { return covers(base_held, part); });
  return covered ? std::nullopt : std::optional(BaseDoesNotHold);
}

bool dies_in_a_gap(const PlannedBuffer& buffer) {
  return !buffer.gaps.empty() && buffer.gaps.back().steps.upper == buffer.life.upper;
}

// `storage` is what the donor is bytes of, the donor itself where it is no view.
std::optional<BadReuse::Why> reuse_fault(const PlannedBuffer& taker, const PlannedBuffer& donor,
                                         const PlannedBuffer& storage) {
  using enum BadReuse::Why;
  if (&taker == &storage) return Itself;
  if (taker.arena != donor.arena) return OtherArena;
  if (taker.offset != donor.offset) return OtherOffset;
  if (taker.bytes > donor.bytes) return TooLarge;
  if (taker.life.lower != donor.life.upper - 1) return NotAtLastStep;
  if (dies_in_a_gap(donor)) return DonorInGap;
  if (storage.life.upper != donor.life.upper) return BaseLivesOn;
  // Three values would stand in the same bytes in one step, or two would each claim to follow the
  // other.
  if (storage.reuses && storage.life.lower == taker.life.lower) return HandedOnAtOnce;
  return std::nullopt;
}

}  // namespace

std::vector<std::size_t> storage_of(const Plan& plan) {
  const std::size_t endless = plan.buffers.size();
  const std::size_t unknown = endless + 1;
  std::vector<std::size_t> storage(plan.buffers.size(), unknown);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    std::vector<std::size_t> chain;
    std::size_t at = i;
    while (storage[at] == unknown && plan.buffers[at].view_of) {
      storage[at] = endless;  // What a chain meets again that it has left itself has no end.
      chain.push_back(at);
      at = *plan.buffers[at].view_of;
    }
    if (storage[at] == unknown) storage[at] = at;
    for (const std::size_t link : chain) storage[link] = storage[at];
  }
  return storage;
}

std::vector<std::size_t> hosts_of(const Plan& plan, const std::vector<std::size_t>& storage) {
  std::vector<std::size_t> hosts(plan.buffers.size());
  std::iota(hosts.begin(), hosts.end(), std::size_t{0});
  std::vector<std::size_t> takers;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].reuses) takers.push_back(i);
  }
  // By birth: a donor that takes over itself was born earlier, so its host is known by then.
  std::sort(takers.begin(), takers.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(plan.buffers[a].life.lower, a) < std::pair(plan.buffers[b].life.lower, b);
  });
  for (const std::size_t taker : takers) {
    const std::size_t donor = storage[*plan.buffers[taker].reuses];
    if (donor < hosts.size()) hosts[taker] = hosts[donor];
  }
  return hosts;
}

void check_relations(const Plan& plan, const std::vector<std::size_t>& storage,
                     PlacementVerdict& verdict) {
  std::vector<std::vector<Held>> held(plan.buffers.size());  // by base, once somebody views it
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (buffer.bytes == Bytes(0)) continue;
    if (buffer.view_of) {
      const std::size_t base = *buffer.view_of;
      if (held[base].empty()) held[base] = held_by(plan.buffers[base]);
      const auto why = view_fault(buffer, plan.buffers[base], held[base]);
      if (why) verdict.add(BadView{i, *buffer.view_of, *why});
    }
    if (buffer.reuses) {
      const std::size_t donor = *buffer.reuses;
      const auto why = reuse_fault(buffer, plan.buffers[donor], plan.buffers[storage[donor]]);
      if (why) verdict.add(BadReuse{i, donor, *why});
    }
  }
}

}  // namespace berth
