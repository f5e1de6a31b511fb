#include "berth/pipeline/certified_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"

namespace berth {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostWarnings = 8;

// What the certificate says of what our own planner placed; nothing if it is given. What nobody
// has written, the launches do not say that they read: that is a warning.
std::optional<std::string> find_refusal(const LoweredSchedule& lowered) {
  const Verdict verdict = judge_arena(lowered.planes, lowered.launches);
  if (verdict.certified()) return std::nullopt;
  const auto report = arena_report(lowered.planes, lowered.launches, verdict);
  return explain(report, lowered.planes, lowered.launches);
}

// Each arena on the page after the one before it; those without room stand at 0 and are refused.
std::vector<Address> side_by_side(const Plan& plan) {
  std::vector<Address> bases;
  Bytes free_from;
  for (const PlannedArena& arena : plan.arenas) {
    const auto base = checked_round_up(free_from, std::max(*Alignment::of(kPage), arena.alignment));
    bases.emplace_back(base.value_or(Bytes(0)).count());
    free_from = checked_add(base.value_or(Bytes(0)), arena.figures.peak).value_or(Bytes(0));
  }
  return bases;
}

std::vector<std::string> shortened(std::vector<std::string> warnings) {
  if (warnings.size() <= kMostWarnings) return warnings;
  const auto left = warnings.size() - kMostWarnings;
  warnings.resize(kMostWarnings);
  warnings.push_back(fmt::format("and {} more such reads", left));
  return warnings;
}

}  // namespace

CertifiedLaunches certified_launches(const ScheduleForm& form, const Instance& instance,
                                     const Packing& packing, const Plan& plan) {
  std::vector<Address> bases;
  bases.reserve(plan.arenas.size());
  for (const PlannedArena& arena : plan.arenas) bases.push_back(arena.address);
  const auto lowered_at = [&](const std::vector<Address>& at) {
    return lower(form.schedule, instance, form.ops, packing, at);
  };
  CertifiedLaunches launches{lowered_at(bases), {}, {}};
  std::optional<Result<LoweredSchedule>> elsewhere;
  if (!launches.lowered) elsewhere = lowered_at(side_by_side(plan));
  const auto& judged = elsewhere ? *elsewhere : launches.lowered;
  if (!judged) {
    launches.notes.push_back("launches were not certified: " + judged.error().message);
    return launches;
  }
  launches.notes = shortened(judged->warnings);
  launches.broken = find_refusal(*judged);
  return launches;
}

}  // namespace berth
