// The rules of a sound plan, read the slow way: ask of every buffer, step and byte whether it is
// held, and look at what comes out. Steps and bytes beyond these bounds are for hostile fields.

#include <algorithm>
#include <vector>

#include "tests/support/plans.h"

namespace berth::test {
namespace {

constexpr Step kSteps = 24;
constexpr std::uint64_t kBytes = 128;

__extension__ using Wide = unsigned __int128;  // no sum of a plan wraps in it

bool holds(const PlannedBuffer& buffer, Step step, std::uint64_t byte) {
  if (!buffer.life.contains(step)) return false;
  if (byte < buffer.offset.value()) return false;
  const std::uint64_t own = byte - buffer.offset.value();
  for (const Gap& gap : buffer.gaps) {
    if (gap.steps.contains(step)) return gap.kept && gap.kept->contains(own);
  }
  return own < buffer.bytes.count();
}

bool holds_all(const PlannedBuffer& buffer, Step step) {
  return buffer.life.contains(step) &&
         std::none_of(buffer.gaps.begin(), buffer.gaps.end(),
                      [&](const Gap& gap) { return gap.steps.contains(step); });
}

bool is_well_formed(const Plan& plan, const PlannedBuffer& buffer) {
  if (buffer.arena >= plan.arenas.size() || buffer.life.lower >= buffer.life.upper) return false;
  if (buffer.view_of && *buffer.view_of >= plan.buffers.size()) return false;
  if (buffer.reuses && *buffer.reuses >= plan.buffers.size()) return false;
  if (buffer.view_of && buffer.reuses) return false;
  for (std::size_t i = 0; i < buffer.gaps.size(); ++i) {
    const auto& [steps, kept] = buffer.gaps[i];
    if (steps.lower >= steps.upper || steps.lower < buffer.life.lower) return false;
    if (steps.upper > buffer.life.upper) return false;
    if (i > 0 && steps.lower < buffer.gaps[i - 1].steps.upper) return false;
    if (kept && (kept->lower >= kept->upper || kept->upper > buffer.bytes.count())) return false;
  }
  return true;
}

Wide extent(const Plan& plan, const PlannedBuffer& buffer) {
  const Wide unit = plan.arenas[buffer.arena].unit.value();
  return (Wide(buffer.skew.count()) + buffer.bytes.count() + unit - 1) / unit * unit;
}

bool stands_where_it_may(const Plan& plan, const PlannedBuffer& buffer) {
  const Wide offset = buffer.offset.value();
  const Wide skew = buffer.skew.count();
  if (buffer.bytes == Bytes(0)) return true;
  if (offset < skew || (offset - skew) % buffer.alignment.value() != 0) return false;
  if (plan.arenas[buffer.arena].address.value() % buffer.alignment.value() != 0) return false;
  if (buffer.fixed && Wide(buffer.fixed->value()) + skew != offset) return false;
  if (extent(plan, buffer) >> 64 != 0) return false;
  return offset + buffer.bytes.count() <= plan.arenas[buffer.arena].figures.peak.count();
}

bool stands_where_it_may(const PlannedArena& arena) {
  const Wide peak = arena.figures.peak.count();
  const Wide address = arena.address.value();
  if (address % arena.alignment.value() != 0) return false;
  if ((address + peak) >> 64 != 0) return false;
  return !arena.capacity || peak + arena.reserve.count() <= arena.capacity->count();
}

// The bytes that an arena has, or that its buffers reach.
Wide reach(const Plan& plan, std::size_t arena) {
  Wide reach = plan.arenas[arena].figures.peak.count();
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (buffer.arena != arena || buffer.bytes == Bytes(0)) continue;
    reach = std::max(reach, Wide(buffer.offset.value()) + buffer.bytes.count());
  }
  return reach;
}

bool stand_apart(const Plan& plan, std::size_t a, std::size_t b) {
  const Wide first_of_a = plan.arenas[a].address.value();
  const Wide first_of_b = plan.arenas[b].address.value();
  if (plan.arenas[a].device != plan.arenas[b].device) return true;
  if (reach(plan, a) == 0 || reach(plan, b) == 0) return true;
  return first_of_a + reach(plan, a) <= first_of_b || first_of_b + reach(plan, b) <= first_of_a;
}

// Itself, where it views nothing; the number of buffers, where the chain never ends.
std::size_t storage(const Plan& plan, std::size_t index) {
  for (std::size_t hops = 0; hops <= plan.buffers.size(); ++hops) {
    if (!plan.buffers[index].view_of) return index;
    index = *plan.buffers[index].view_of;
  }
  return plan.buffers.size();
}

bool view_is_inside(const Plan& plan, const PlannedBuffer& view) {
  const PlannedBuffer& base = plan.buffers[*view.view_of];
  if (view.arena != base.arena || view.offset < base.offset) return false;
  if (view.offset.value() + view.bytes.count() > base.offset.value() + base.bytes.count()) {
    return false;
  }
  if (view.life.lower < base.life.lower || view.life.upper > base.life.upper) return false;
  for (Step step = 0; step < kSteps; ++step) {
    for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
      if (holds(view, step, byte) && !holds(base, step, byte)) return false;
    }
  }
  return true;
}

bool reuse_is_allowed(const Plan& plan, std::size_t index) {
  const PlannedBuffer& taker = plan.buffers[index];
  const PlannedBuffer& donor = plan.buffers[*taker.reuses];
  const std::size_t under = storage(plan, *taker.reuses);
  const PlannedBuffer& base = plan.buffers[under];
  const Step step = taker.life.lower;
  const bool last_step = donor.life.upper == step + 1 && base.life.upper == step + 1;
  const bool base_is_new = base.reuses && base.life.lower == step;
  return under != index && taker.arena == donor.arena && taker.offset == donor.offset &&
         taker.bytes <= donor.bytes && last_step && holds_all(donor, step) && !base_is_new;
}

bool takes_over(const Plan& plan, std::size_t taker, std::size_t from, Step step) {
  const PlannedBuffer& buffer = plan.buffers[taker];
  return buffer.reuses && storage(plan, *buffer.reuses) == from && buffer.life.lower == step;
}

bool meet(const Plan& plan, std::size_t a, std::size_t b) {
  const std::size_t under_a = storage(plan, a);
  const std::size_t under_b = storage(plan, b);
  if (under_a == under_b || plan.buffers[a].arena != plan.buffers[b].arena) return false;
  for (Step step = 0; step < kSteps; ++step) {
    if (takes_over(plan, under_a, under_b, step) || takes_over(plan, under_b, under_a, step)) {
      continue;
    }
    for (std::uint64_t byte = 0; byte < kBytes; ++byte) {
      if (holds(plan.buffers[a], step, byte) && holds(plan.buffers[b], step, byte)) return true;
    }
  }
  return false;
}

// Where the chain of takers that leads to this buffer begins.
const PlannedBuffer& host(const Plan& plan, std::size_t index) {
  while (plan.buffers[index].reuses) index = storage(plan, *plan.buffers[index].reuses);
  return plan.buffers[index];
}

Wide load_at(const Plan& plan, std::size_t index, Step step, bool padded) {
  const PlannedBuffer& buffer = plan.buffers[index];
  if (buffer.view_of || !buffer.life.contains(step) || buffer.bytes == Bytes(0)) return 0;
  if (buffer.reuses && buffer.life.lower == step) return 0;
  for (const Gap& gap : buffer.gaps) {
    if (gap.steps.contains(step)) return gap.kept ? gap.kept->upper - gap.kept->lower : 0;
  }
  const PlannedBuffer& under = host(plan, index);
  const bool part = under.bytes != buffer.bytes || under.offset != buffer.offset;
  return padded && !part ? extent(plan, under) : Wide(buffer.bytes.count());
}

Wide arena_load_at(const Plan& plan, Step step, std::size_t arena, bool padded) {
  Wide sum = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].arena == arena) sum += load_at(plan, i, step, padded);
  }
  return sum;
}

struct Highest {
  Wide load = 0;
  Step step = 0;
};

Highest highest_load(const Plan& plan, std::size_t arena, bool padded) {
  Highest highest;
  for (Step step = 0; step < kSteps; ++step) {
    const Wide load = arena_load_at(plan, step, arena, padded);
    if (load > highest.load) highest = {load, step};
  }
  return highest;
}

bool claims_hold(const Plan& plan, std::size_t arena) {
  const ArenaFigures& claimed = plan.arenas[arena].figures;
  const Highest padded = highest_load(plan, arena, true);
  if (padded.load != claimed.max_load.count()) return false;
  if (padded.load > 0 && padded.step != claimed.peak_step) return false;
  if (highest_load(plan, arena, false).load != claimed.max_load_unpadded.count()) return false;
  return claimed.max_load <= claimed.lower_bound && claimed.lower_bound <= claimed.peak;
}

}  // namespace

bool is_sound_cell_by_cell(const Plan& plan) {
  for (const PlannedBuffer& buffer : plan.buffers) {
    if (!is_well_formed(plan, buffer) || !stands_where_it_may(plan, buffer)) return false;
  }
  for (const PlannedArena& arena : plan.arenas) {
    if (!stands_where_it_may(arena)) return false;
  }
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!stand_apart(plan, i, j)) return false;
    }
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlannedBuffer& buffer = plan.buffers[i];
    if (storage(plan, i) == plan.buffers.size()) return false;
    if (buffer.bytes == Bytes(0)) continue;
    if (buffer.view_of && !view_is_inside(plan, buffer)) return false;
    if (buffer.reuses && !reuse_is_allowed(plan, i)) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (storage(plan, j) == plan.buffers.size() || meet(plan, i, j)) return false;
    }
  }
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    if (!claims_hold(plan, i)) return false;
  }
  return true;
}

void set_figures(Plan& plan) {
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    ArenaFigures& figures = plan.arenas[i].figures;
    const Highest padded = highest_load(plan, i, true);
    figures.max_load = Bytes(static_cast<std::uint64_t>(padded.load));
    figures.peak_step = padded.step;
    figures.max_load_unpadded =
        Bytes(static_cast<std::uint64_t>(highest_load(plan, i, false).load));
    figures.lower_bound = figures.max_load;
    figures.peak = figures.max_load;
    for (const PlannedBuffer& buffer : plan.buffers) {
      if (buffer.arena != i) continue;
      figures.peak = std::max(figures.peak, Bytes(buffer.offset.value()) + buffer.bytes);
    }
  }
}

}  // namespace berth::test
