#include <algorithm>
#include <functional>

#include "tests/support/plans.h"

namespace berth::test {
namespace {

std::uint64_t below(std::mt19937_64& random, std::uint64_t limit) {
  return random() % limit;
}

bool one_in(std::mt19937_64& random, std::uint64_t n) {
  return below(random, n) == 0;
}

std::vector<Gap> random_gaps(LiveRange life, std::uint64_t bytes, std::mt19937_64& random) {
  std::vector<Gap> gaps;
  for (Step at = life.lower + below(random, 3); at + 1 < life.upper; at += 2 + below(random, 3)) {
    Gap gap = {{at, at + 1}, std::nullopt};
    if (one_in(random, 2)) {
      const std::uint64_t lower = below(random, bytes);
      gap.kept = ByteRange{lower, lower + 1 + below(random, bytes - lower)};
    }
    gaps.push_back(gap);
  }
  return gaps;
}

PlannedBuffer random_buffer(const Plan& plan, std::mt19937_64& random) {
  PlannedBuffer made;
  made.name = "b" + std::to_string(plan.buffers.size());
  made.arena = below(random, plan.arenas.size());
  made.life.lower = below(random, 10);
  made.life.upper = made.life.lower + 1 + below(random, 5);
  made.bytes = Bytes(one_in(random, 12) ? 0 : 1 + below(random, 12));
  made.alignment = alignment(std::uint64_t{1} << below(random, 3));
  if (one_in(random, 3)) made.skew = Bytes(below(random, 4));
  if (one_in(random, 3) && made.bytes > Bytes(0)) {
    made.gaps = random_gaps(made.life, made.bytes.count(), random);
  }
  return made;
}

// Some bytes of some buffer, in some of its steps.
PlannedBuffer random_view(const Plan& plan, std::mt19937_64& random) {
  const std::size_t index = below(random, plan.buffers.size());
  const PlannedBuffer& base = plan.buffers[index];
  PlannedBuffer made = base;
  made.name = "b" + std::to_string(plan.buffers.size());
  made.view_of = index;
  made.reuses.reset();
  made.fixed.reset();
  made.alignment = alignment(1);
  made.skew = Bytes(0);
  if (base.bytes == Bytes(0)) return made;
  const std::uint64_t begin = below(random, base.bytes.count());
  made.offset = base.offset + Bytes(begin);
  made.bytes = Bytes(1 + below(random, base.bytes.count() - begin));
  if (begin > 0 || made.bytes < base.bytes) made.gaps.clear();
  return made;
}

// A buffer that is born where some buffer dies.
PlannedBuffer random_taker(const Plan& plan, std::mt19937_64& random) {
  const std::size_t index = below(random, plan.buffers.size());
  const PlannedBuffer& donor = plan.buffers[index];
  PlannedBuffer made = random_buffer(plan, random);
  made.arena = donor.arena;
  made.reuses = index;
  made.gaps.clear();
  made.skew = donor.skew;
  made.alignment = donor.alignment;
  made.offset = donor.offset;
  made.bytes = Bytes(donor.bytes.count() - below(random, donor.bytes.count() / 2 + 1));
  made.life = {donor.life.upper - 1, donor.life.upper + below(random, 3)};
  return made;
}

bool sound_with(const Plan& plan, const PlannedBuffer& buffer) {
  Plan more = plan;
  more.buffers.push_back(buffer);
  set_figures(more);
  return is_sound_cell_by_cell(more);
}

// At the lowest place at which the plan stays sound; not at all where there is none.
void put_lowest(Plan& plan, PlannedBuffer buffer) {
  for (std::uint64_t place = 0; place < 64; place += buffer.alignment.value()) {
    buffer.offset = Offset(place) + buffer.skew;
    if (!sound_with(plan, buffer)) continue;
    plan.buffers.push_back(buffer);
    return;
  }
}

void put_if_sound(Plan& plan, const PlannedBuffer& buffer) {
  if (sound_with(plan, buffer)) plan.buffers.push_back(buffer);
}

// A second one is of another device, or further on at the same one's addresses.
PlannedArena random_arena(std::size_t index, std::mt19937_64& random) {
  PlannedArena made;
  const bool is_apart = index > 0 && one_in(random, 2);
  made.device = is_apart ? "GPU" : "CPU";
  made.unit = alignment(std::uint64_t{1} << below(random, 3));
  made.alignment = alignment(16);
  made.address = Address((is_apart ? 0 : 160 * index) + 16 * below(random, 4));
  return made;
}

// A number near another, or far from it.
std::uint64_t nudged(std::uint64_t value, std::mt19937_64& random) {
  switch (below(random, 6)) {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return value + 4;
    case 3:
      return value - 4;
    case 4:
      return below(random, 16);
    default:
      return one_in(random, 4) ? ~std::uint64_t{0} - below(random, 3) : value + 2;
  }
}

template <typename Amount>
void nudge(Amount& amount, std::mt19937_64& random) {
  if constexpr (requires { amount.count(); }) {
    amount = Amount(nudged(amount.count(), random));
  } else {
    amount = Amount(nudged(amount.value(), random));
  }
}

void nudge_range(HalfOpen<std::uint64_t>& range, std::mt19937_64& random) {
  std::uint64_t& end = one_in(random, 2) ? range.lower : range.upper;
  end = nudged(end, random);
}

void mutate_gap(PlannedBuffer& buffer, std::mt19937_64& random) {
  if (buffer.gaps.empty()) {
    buffer.gaps.push_back({{buffer.life.lower, nudged(buffer.life.lower, random)}, std::nullopt});
    return;
  }
  Gap& gap = buffer.gaps[below(random, buffer.gaps.size())];
  if (one_in(random, 2)) return nudge_range(gap.steps, random);
  if (!gap.kept) gap.kept = ByteRange{0, buffer.bytes.count()};
  nudge_range(*gap.kept, random);
}

void mutate_relation(std::optional<std::size_t>& relation, std::size_t buffers,
                     std::mt19937_64& random) {
  if (relation && one_in(random, 2)) {
    relation.reset();
  } else {
    relation = below(random, buffers + 1);
  }
}

void mutate_buffer(PlannedBuffer& buffer, const Plan& plan, std::mt19937_64& random) {
  switch (below(random, 10)) {
    case 0:
    case 1:
      return nudge(buffer.offset, random);
    case 2:
      return nudge(buffer.bytes, random);
    case 3:
      return nudge_range(buffer.life, random);
    case 4:
      buffer.arena = below(random, plan.arenas.size() + 1);
      return;
    case 5:
      buffer.alignment = alignment(std::uint64_t{1} << below(random, 64));
      return;
    case 6:
      return nudge(buffer.skew, random);
    case 7:
      return mutate_gap(buffer, random);
    case 8:
      return mutate_relation(one_in(random, 2) ? buffer.view_of : buffer.reuses,
                             plan.buffers.size(), random);
    default:
      buffer.fixed = Offset(buffer.offset.value() - buffer.skew.count() + below(random, 2));
  }
}

void mutate_arena(PlannedArena& arena, std::mt19937_64& random) {
  switch (below(random, 13)) {
    case 0:
      return nudge(arena.figures.peak, random);
    case 1:
      return nudge(arena.figures.max_load, random);
    case 2:
      return nudge(arena.figures.max_load_unpadded, random);
    case 3:
      return nudge(arena.figures.lower_bound, random);
    case 4:
      arena.figures.peak_step = nudged(arena.figures.peak_step, random);
      return;
    case 5:
      arena.unit = alignment(std::uint64_t{1} << below(random, 64));
      return;
    case 6:
      arena.alignment = alignment(std::uint64_t{1} << below(random, 8));
      return;
    case 7:
      arena.capacity = Bytes(nudged(arena.figures.peak.count(), random));
      return;
    case 8:
      arena.reserve = Bytes(below(random, 8));
      return;
    case 9:
      arena.device = one_in(random, 2) ? "CPU" : "GPU";
      return;
    default:
      if (one_in(random, 4)) return nudge(arena.address, random);
      arena.address = Address(16 * below(random, 16));
  }
}

}  // namespace

Plan random_sound_plan(std::mt19937_64& random) {
  Plan plan;
  plan.arenas.resize(1 + below(random, 2));
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) plan.arenas[i] = random_arena(i, random);
  const std::uint64_t wanted = 2 + below(random, 6);
  while (plan.buffers.size() < wanted) put_lowest(plan, random_buffer(plan, random));
  for (std::uint64_t i = below(random, 5); i > 0; --i) {
    put_if_sound(plan, one_in(random, 2) ? random_view(plan, random) : random_taker(plan, random));
  }
  set_figures(plan);
  for (PlannedArena& arena : plan.arenas) {
    if (!one_in(random, 3)) continue;
    arena.reserve = Bytes(below(random, 3));
    arena.capacity = arena.figures.peak + arena.reserve + Bytes(below(random, 3));
  }
  return plan;
}

Plan mutant_of(Plan plan, std::mt19937_64& random) {
  if (one_in(random, 4)) {
    mutate_arena(plan.arenas[below(random, plan.arenas.size())], random);
  } else {
    mutate_buffer(plan.buffers[below(random, plan.buffers.size())], plan, random);
  }
  return plan;
}

}  // namespace berth::test
