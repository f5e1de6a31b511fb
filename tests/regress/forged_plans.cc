#include "tests/regress/forged_plans.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "berth/certify/placement.h"

namespace berth::test {
namespace {

using Judge = std::function<void(const Plan&, std::string)>;

void repair(Plan& plan, const WrongClaim& claim) {
  ArenaFigures& figures = plan.arenas[claim.arena].figures;
  plan.arenas[claim.arena].claims_proved_least.reset();
  if (!claim.found) return;
  switch (claim.claim) {
    case WrongClaim::Claim::MaxLoad:
      figures.max_load = figures.lower_bound = Bytes(*claim.found);
      return;
    case WrongClaim::Claim::MaxLoadUnpadded:
      figures.max_load_unpadded = Bytes(*claim.found);
      return;
    case WrongClaim::Claim::PeakStep:
      figures.peak_step = *claim.found;
      return;
    default:
      figures.lower_bound = figures.max_load;
      return;
  }
}

// All but one buffer; nothing where another one is bytes of it.
std::optional<Plan> without(Plan plan, std::size_t index) {
  for (PlannedBuffer& buffer : plan.buffers) {
    for (auto* other : {&buffer.view_of, &buffer.reuses}) {
      if (*other == index) return std::nullopt;
      if (*other && **other > index) --**other;
    }
  }
  plan.buffers.erase(plan.buffers.begin() + static_cast<std::ptrdiff_t>(index));
  return plan;
}

class Forger {
 public:
  Forger(const Plan& plan, const Judge& judge) : plan_(plan), judge_(judge) {}

  void forge() {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) forge_buffer(i);
    for (std::size_t i = 0; i < plan_.arenas.size(); ++i) forge_arena(i);
    for (std::size_t i = 0; i < plan_.kept.size(); ++i) forge_kept(i);
    forge_whole();
  }

 private:
  void judge(Plan plan, std::string what) const {
    repair_figures(plan);
    if (plan == plan_) return;
    judge_(plan, std::move(what));
  }

  template <typename Change>
  void with_buffer(std::size_t index, const std::string& what, const Change& change) const {
    Plan plan = plan_;
    change(plan.buffers[index]);
    judge(std::move(plan), plan_.buffers[index].name + ": " + what);
  }

  template <typename Change>
  void with_arena(std::size_t index, const std::string& what, const Change& change) const {
    Plan plan = plan_;
    change(plan.arenas[index]);
    judge(std::move(plan), plan_.arenas[index].device + ": " + what);
  }

  void forge_buffer(std::size_t i) const {
    const PlannedBuffer& buffer = plan_.buffers[i];
    forge_life(i);
    forge_gaps(i);
    with_buffer(i, "a byte less", [](PlannedBuffer& it) {
      if (it.bytes > Bytes(0)) it.bytes -= Bytes(1);
    });
    with_buffer(i, "a byte more", [](PlannedBuffer& it) { it.bytes += Bytes(1); });
    with_buffer(i, "no bytes", [](PlannedBuffer& it) { it.bytes = Bytes(0); });
    with_buffer(i, "half the alignment", [](PlannedBuffer& it) {
      it.alignment = *Alignment::of(std::max<std::uint64_t>(it.alignment.value() / 2, 1));
    });
    with_buffer(i, "no alignment", [](PlannedBuffer& it) { it.alignment = Alignment(); });
    with_buffer(i, "a skew", [](PlannedBuffer& it) {
      it.skew += Bytes(it.alignment.value());
      it.offset = it.offset + Bytes(it.alignment.value());
    });
    with_buffer(i, "skew for place", [](PlannedBuffer& it) {
      it.skew = Bytes(it.offset.value() % 64);
      it.alignment = *Alignment::of(64);
    });
    if (!buffer.fixed) {
      with_buffer(i, "fixed where it is", [](PlannedBuffer& it) {
        it.fixed = Offset(it.offset.value() - it.skew.count());
      });
    }
    with_buffer(i, "fixed elsewhere", [](PlannedBuffer& it) {
      it.offset = it.offset + Bytes(4096);
      it.fixed = Offset(it.offset.value() - it.skew.count());
    });
    with_buffer(i, "held", [](PlannedBuffer& it) { it.held = !it.held; });
    with_buffer(i, "named otherwise", [](PlannedBuffer& it) { it.name += "'"; });
    forge_sharing(i);
    for (std::size_t arena = 0; arena < plan_.arenas.size(); ++arena) {
      if (plan_.target) continue;  // there a tensor may live in any memory with room
      with_buffer(i, "in another arena", [&](PlannedBuffer& it) { it.arena = arena; });
    }
    auto rest = without(plan_, i);
    if (!rest) return;
    judge(*rest, buffer.name + ": left out");
    for (int why = 0; why <= static_cast<int>(KeptWhy::PlannerOff); ++why) {
      Plan kept = *rest;
      kept.kept.push_back({buffer.name, static_cast<KeptWhy>(why), buffer.bytes});
      judge(std::move(kept), buffer.name + ": kept apart " + std::to_string(why));
    }
  }

  void forge_life(std::size_t i) const {
    const LiveRange& life = plan_.buffers[i].life;
    for (const auto& [lower, upper] : {std::pair(life.lower + 1, life.upper),
                                       {life.lower, life.upper - 1},
                                       {life.lower, life.upper + 1},
                                       {life.lower - 1, life.upper},
                                       {life.lower, life.lower + 1},
                                       {life.upper - 1, life.upper},
                                       {life.upper, life.upper + 1}}) {
      if (lower >= upper || lower == UINT64_MAX) continue;
      with_buffer(i, "another life", [&](PlannedBuffer& it) { it.life = {lower, upper}; });
    }
  }

  void forge_gaps(std::size_t i) const {
    const PlannedBuffer& buffer = plan_.buffers[i];
    for (std::size_t gap = 0; gap < buffer.gaps.size(); ++gap) {
      with_buffer(i, "a gap less", [&](PlannedBuffer& it) {
        it.gaps.erase(it.gaps.begin() + static_cast<std::ptrdiff_t>(gap));
      });
      with_buffer(i, "a longer gap", [&](PlannedBuffer& it) { ++it.gaps[gap].steps.upper; });
      with_buffer(i, "an earlier gap", [&](PlannedBuffer& it) {
        if (it.gaps[gap].steps.lower > 0) --it.gaps[gap].steps.lower;
      });
      with_buffer(i, "less kept", [&](PlannedBuffer& it) {
        if (it.gaps[gap].kept) ++it.gaps[gap].kept->lower;
      });
      with_buffer(i, "nothing kept", [&](PlannedBuffer& it) { it.gaps[gap].kept.reset(); });
    }
    if (!buffer.gaps.empty()) return;
    for (Step step = buffer.life.lower; step < buffer.life.upper; ++step) {
      with_buffer(i, "a gap", [&](PlannedBuffer& it) {
        it.gaps = {{{step, step + 1}, std::nullopt}};
      });
      with_buffer(i, "a gap with a byte kept", [&](PlannedBuffer& it) {
        if (it.bytes > Bytes(0)) it.gaps = {{{step, step + 1}, ByteRange{0, 1}}};
      });
      with_buffer(i, "a gap to its end", [&](PlannedBuffer& it) {
        it.gaps = {{{step, it.life.upper}, std::nullopt}};
      });
    }
  }

  void forge_sharing(std::size_t i) const {
    const PlannedBuffer& buffer = plan_.buffers[i];
    with_buffer(i, "no view", [](PlannedBuffer& it) { it.view_of.reset(); });
    with_buffer(i, "takes nothing over", [](PlannedBuffer& it) { it.reuses.reset(); });
    for (std::size_t other = 0; other < plan_.buffers.size(); ++other) {
      if (other == i || plan_.buffers[other].arena != buffer.arena) continue;
      with_buffer(i, "a view of " + plan_.buffers[other].name, [&](PlannedBuffer& it) {
        it.reuses.reset();
        it.view_of = other;
        if (it.bytes <= plan_.buffers[other].bytes) it.offset = plan_.buffers[other].offset;
      });
      with_buffer(i, "takes over " + plan_.buffers[other].name, [&](PlannedBuffer& it) {
        it.view_of.reset();
        it.reuses = other;
        it.offset = plan_.buffers[other].offset;
      });
    }
  }

  void forge_arena(std::size_t i) const {
    with_arena(i, "a smaller unit", [](PlannedArena& it) {
      it.unit = *Alignment::of(std::max<std::uint64_t>(it.unit.value() / 2, 1));
    });
    with_arena(i, "no unit", [](PlannedArena& it) { it.unit = Alignment(); });
    with_arena(i, "no alignment", [](PlannedArena& it) { it.alignment = Alignment(); });
    with_arena(i, "another tier", [](PlannedArena& it) { it.tier = "hbm" + it.tier; });
    with_arena(i, "another device", [](PlannedArena& it) { it.device += "X"; });
    with_arena(i, "another capacity", [](PlannedArena& it) {
      it.capacity = it.capacity.value_or(Bytes(1'000'000)) + Bytes(4096);
    });
    with_arena(i, "no capacity", [](PlannedArena& it) { it.capacity.reset(); });
    with_arena(i, "another reserve", [](PlannedArena& it) {
      it.reserve = it.reserve > Bytes(0) ? Bytes(0) : Bytes(1);
      if (!it.capacity) it.capacity = Bytes(1'000'000);
    });
    // A second arena of one device would have its capacity once more.
    Plan plan = plan_;
    plan.arenas.push_back(plan.arenas[i]);
    plan.arenas.back().figures = {};
    plan.arenas.back().address = Address(std::uint64_t{1} << 40);
    judge(plan, plan_.arenas[i].device + ": an arena once more");
    plan.arenas.back().device = "nowhere";
    judge(std::move(plan), "an arena more");
  }

  void forge_kept(std::size_t i) const {
    Plan plan = plan_;
    plan.kept.erase(plan.kept.begin() + static_cast<std::ptrdiff_t>(i));
    judge(std::move(plan), plan_.kept[i].name + ": not told as kept");
    for (int why = 0; why <= static_cast<int>(KeptWhy::PlannerOff); ++why) {
      plan = plan_;
      plan.kept[i].why = static_cast<KeptWhy>(why);
      judge(std::move(plan), plan_.kept[i].name + ": kept for another reason");
    }
    plan = plan_;
    plan.kept[i].bytes += Bytes(1);
    judge(std::move(plan), plan_.kept[i].name + ": kept with other bytes");
  }

  void forge_whole() const {
    Plan plan = plan_;
    plan.ordering = "any";
    judge(plan, "another ordering");
    plan.ordering = "";
    judge(std::move(plan), "no ordering");
    plan = plan_;
    plan.source.sha256 = std::string(64, '0');
    judge(std::move(plan), "another digest");
    for (const KeptWhy why : {KeptWhy::Held, KeptWhy::PlannerOff}) {
      plan = plan_;
      for (const PlannedBuffer& buffer : plan.buffers) {
        plan.kept.push_back({buffer.name, why, buffer.bytes});
      }
      plan.buffers.clear();
      for (PlannedArena& arena : plan.arenas) arena.figures = {};
      judge(std::move(plan), "all kept apart");
    }
    plan = plan_;
    if (plan.order.empty()) {
      for (std::size_t i = 0; i < plan.step_names.size(); ++i) plan.order.push_back(i);
      std::ranges::reverse(plan.order);
    } else {
      plan.order.clear();
    }
    if (plan.order.size() != 1) judge(std::move(plan), "another order");
    if (plan_.target) forge_target();
  }

  void forge_target() const {
    Plan plan = plan_;
    plan.target->sha256 = std::string(64, '0');
    judge(plan, "another target");
    plan = plan_;
    plan.target->tile = {7, 7};
    judge(plan, "another tile");
    for (std::size_t i = 0; i < plan_.target->tiers.size(); ++i) {
      plan = plan_;
      TierUse& use = plan.target->tiers[i];
      use.capacity = use.capacity.value_or(Bytes(1'000'000)) + Bytes(4096);
      for (PlannedArena& arena : plan.arenas) {
        if (arena.figures.peak == use.peak) arena.capacity = use.capacity;
      }
      judge(std::move(plan), "another capacity, twice told");
    }
  }

  const Plan& plan_;
  const Judge& judge_;
};

}  // namespace

void repair_figures(Plan& plan) {
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    PlannedArena& arena = plan.arenas[i];
    Bytes peak;
    for (const PlannedBuffer& buffer : plan.buffers) {
      if (buffer.arena != i || buffer.bytes == Bytes(0)) continue;
      const auto end = checked_round_up(Bytes(buffer.offset.value()) + buffer.bytes, arena.unit);
      peak = std::max(peak, end.value_or(peak));
    }
    arena.figures.peak = std::max(peak, arena.figures.peak);
  }
  for (int round = 0; round < 4; ++round) {
    const PlacementVerdict verdict = check_placement(plan);
    for (const PlacementFault& fault : verdict.faults()) {
      if (const auto* claim = std::get_if<WrongClaim>(&fault)) repair(plan, *claim);
    }
  }
}

void each_forgery(const Plan& plan, const std::function<void(const Plan&, std::string)>& judge) {
  Plan honest = plan;
  repair_figures(honest);
  Forger(honest, judge).forge();
}

}  // namespace berth::test
