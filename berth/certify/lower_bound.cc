#include "berth/certify/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/certify/reason.h"
#include "berth/certify/relations.h"

namespace berth {
namespace {

using Answer = BoundFinding::Answer;

std::uint64_t place_of(const PlannedBuffer& buffer) {
  return buffer.offset.value() - buffer.skew.count();
}

// The buffers of one arena, as the plan has them.
class ArenaBuffers {
 public:
  ArenaBuffers(const Plan& plan, const std::vector<std::size_t>& of_arena,
               const std::vector<std::size_t>& storage, const PlannedArena& arena)
      : unit_(arena.unit), bound_(arena.figures.lower_bound) {
    for (const std::size_t i : of_arena) {
      const PlannedBuffer& buffer = plan.buffers[i];
      share_ = share_ || buffer.view_of || buffer.reuses;
      if (storage[i] == i && buffer.bytes > Bytes(0)) buffers_.push_back(&buffer);
    }
  }

  std::size_t size() const { return buffers_.size(); }
  bool share() const { return share_; }

  // The bytes that they take where they stand, or all moved down by multiples of what each of them
  // may be moved by; nothing where that is more than 64 bits hold.
  std::optional<Bytes> taken() const {
    Bytes end;
    std::uint64_t lowest = UINT64_MAX;
    Alignment step;
    for (const PlannedBuffer* buffer : buffers_) {
      const auto past = checked_add(Bytes(place_of(*buffer)), extent(*buffer));
      if (!past) return std::nullopt;
      end = std::max(end, *past);
      lowest = std::min(lowest, place_of(*buffer));
      step = std::max(step, buffer->alignment);
    }
    if (buffers_.empty() || any_fixed()) return end;
    return end - Bytes(lowest - lowest % step.value());
  }

  // That they do not go into less than the bound; nothing where they are no instance.
  std::optional<Reason> reason() const {
    std::vector<Buffer> buffers;
    for (const PlannedBuffer* it : buffers_) {
      LiveRange life = it->life;
      // In its first step a taker's bytes are its donor's, who answers for them.
      if (it->reuses) ++life.lower;
      if (life.empty()) continue;
      // Rounded here: the plan does not ask that places be multiples of the unit too.
      buffers.push_back({.name = std::to_string(buffers.size()),
                         .size = extent(*it) - it->skew,
                         .life = life,
                         .alignment = it->alignment,
                         .skew = it->skew,
                         .device = DeviceId(0),
                         .fixed = it->fixed,
                         .hint = std::nullopt,
                         .gaps = gaps_in(*it, life)});
    }
    auto part = Instance::make({Device{"", bound_ - Bytes(1), Bytes(0)}}, std::move(buffers));
    if (!part) return std::nullopt;
    return Reason{{}, *std::move(part), std::nullopt, false};
  }

 private:
  Bytes extent(const PlannedBuffer& buffer) const {
    return round_up(buffer.skew + buffer.bytes, unit_);
  }
  bool any_fixed() const {
    return std::ranges::any_of(buffers_, [](const PlannedBuffer* it) { return bool(it->fixed); });
  }
  static std::vector<Gap> gaps_in(const PlannedBuffer& buffer, const LiveRange& life) {
    std::vector<Gap> gaps;
    for (Gap gap : buffer.gaps) {
      gap.steps.lower = std::max(gap.steps.lower, life.lower);
      if (!gap.steps.empty()) gaps.push_back(gap);
    }
    return gaps;
  }

  std::vector<const PlannedBuffer*> buffers_;
  Alignment unit_;
  Bytes bound_;
  bool share_ = false;
};

// How many tries are left for the arenas to come. One that looks at many buffers is worth more.
class Budget {
 public:
  explicit Budget(std::uint64_t cases) : left_(cases) {}

  std::uint64_t left() const { return left_; }
  void spend(std::uint64_t cases, std::size_t buffers) {
    const std::uint64_t looks = std::uint64_t{buffers} * buffers / 400 + 1;
    const auto cost = checked_multiply(Bytes(cases + 1), looks);
    left_ = cost ? left_ - std::min(left_, cost->count()) : 0;
  }

 private:
  std::uint64_t left_;
};

BoundFinding refuted(Bytes fits, const char* how) {
  return {Answer::Refuted, fmt::format("its buffers go into {}{}", fits.count(), how), fits};
}

BoundFinding as_told(const PlannedArena& arena) {
  return {Answer::AsTold,
          fmt::format("only its max load, {}, was confirmed", arena.figures.max_load.count()),
          Bytes(0)};
}

BoundFinding check_bound(const PlannedArena& arena, const ArenaBuffers& buffers, Budget& budget) {
  const ArenaFigures& figures = arena.figures;
  if (figures.lower_bound == figures.max_load) return {Answer::Confirmed, "its max load", Bytes(0)};
  const auto taken = buffers.taken();
  if (taken && *taken < figures.lower_bound) return refuted(*taken, ", in the order they lie in");
  if (budget.left() == 0) return as_told(arena);
  const auto reason = buffers.reason();
  if (!reason) return as_told(arena);
  const ReasonVerdict verdict = check_reason(*reason, budget.left());
  budget.spend(verdict.cases, buffers.size());
  if (verdict.answer == ReasonVerdict::Answer::Confirmed) {
    return {Answer::Confirmed, verdict.why, Bytes(0)};
  }
  if (verdict.answer == ReasonVerdict::Answer::Undecided || buffers.share()) return as_told(arena);
  return refuted(figures.lower_bound - Bytes(1), "");
}

}  // namespace

std::vector<BoundFinding> check_lower_bounds(const Plan& plan, std::uint64_t most_cases) {
  const auto storage = storage_of(plan);
  std::vector<std::vector<std::size_t>> by_arena(plan.arenas.size());
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    by_arena[plan.buffers[i].arena].push_back(i);
  }
  Budget budget(most_cases);
  std::vector<BoundFinding> findings;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const ArenaBuffers buffers(plan, by_arena[i], storage, plan.arenas[i]);
    findings.push_back(check_bound(plan.arenas[i], buffers, budget));
  }
  return findings;
}

}  // namespace berth
