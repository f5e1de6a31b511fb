#include "berth/pipeline/plan_file.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/text.h"
#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/pipeline/certified_launches.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/plan/rewrite.h"
#include "berth/render/capacity_report.h"

namespace berth {
namespace {

std::string place_of(const Buffer& buffer) {
  return fmt::format("{}", buffer.fixed->value());
}

// Fixed places that leave no placement, in words.
struct ExplainInfeasible {
  const Instance& instance;

  std::string operator()(const FixedClash& clash) const {
    const Buffer& a = instance[clash.first];
    const Buffer& b = instance[clash.second];
    return fmt::format(
        "does not fit: buffers {} (fixed at {}) and {} (fixed at {}) share bytes [{}, {}) over "
        "steps [{}, {})\nfree one of the two offsets, or move it",
        printable(a.name), place_of(a), printable(b.name), place_of(b), clash.bytes.lower,
        clash.bytes.upper, clash.steps.lower, clash.steps.upper);
  }
  std::string operator()(const FixedMisaligned& misaligned) const {
    const Buffer& buffer = instance[misaligned.buffer];
    return fmt::format(
        "does not fit: buffer {} is fixed at {}, which is no multiple of {}\nmove it to a "
        "multiple, "
        "or relax its alignment",
        printable(buffer.name), place_of(buffer), misaligned.alignment.value());
  }
};

// The first device whose arena is past what it has; those proved impossible come first.
std::optional<DoesNotFit> find_overflow(const Plan& plan) {
  std::optional<DoesNotFit> overflow;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const PlannedArena& arena = plan.arenas[i];
    const auto usable = Device{arena.device, arena.capacity, arena.reserve}.usable();
    if (!usable || arena.figures.peak <= *usable) continue;
    const bool proved = arena.figures.lower_bound > *usable;
    if (overflow && (overflow->proved || !proved)) continue;
    overflow = DoesNotFit{proved, capacity_report(plan, i)};
  }
  return overflow;
}

Result<PlanAnswer> answer_of(Question question, Packing packing, Plan plan) {
  // What fits must pass the check as it stands; what does not is judged without its limits.
  Plan unlimited = plan;
  for (PlannedArena& arena : unlimited.arenas) arena.capacity.reset();
  const PlacementVerdict verdict = check_placement(unlimited);
  if (!verdict.sound()) return BrokenPromise{explain(verdict, unlimited)};
  if (auto overflow = find_overflow(plan)) return *std::move(overflow);

  PlannedFile planned{std::move(question), std::move(packing), std::move(plan), {}, {}, {}};
  if (const auto* form = std::get_if<ScheduleForm>(&planned.question.form)) {
    const Instance& instance = planned.question.instance;
    auto rewritten = rewrite(form->schedule, form->ops, instance, planned.packing);
    if (!rewritten) return tl::unexpected(rewritten.error());
    planned.rewritten = *std::move(rewritten);
    planned.memory_saved = memory_saved(form->ops, instance, planned.packing);
    auto launches = certified_launches(*form, instance, planned.packing, planned.plan);
    if (launches.broken) return BrokenPromise{*std::move(launches.broken)};
    planned.launches = std::move(launches.lowered);
    auto& notes = planned.question.notes;
    notes.insert(notes.end(), launches.notes.begin(), launches.notes.end());
  }
  return planned;
}

}  // namespace

Result<PlanAnswer> plan_file(const InputFile& file, const PlanOptions& options) {
  auto question = read_question(file, options);
  if (!question) return tl::unexpected(question.error());
  auto answer = pack(question->instance, options.pack);
  if (!answer) return tl::unexpected(answer.error());
  if (const auto* infeasible = std::get_if<Infeasible>(&*answer)) {
    return DoesNotFit{true, std::visit(ExplainInfeasible{question->instance}, infeasible->reason)};
  }
  auto& packing = std::get<Packing>(*answer);
  auto plan = compose_plan(file, *question, packing, options);
  if (!plan) return tl::unexpected(plan.error());
  return answer_of(*std::move(question), std::move(packing), *std::move(plan));
}

}  // namespace berth
