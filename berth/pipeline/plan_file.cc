#include "berth/pipeline/plan_file.h"

#include <fmt/format.h>

#include <utility>

#include "berth/base/sha256.h"
#include "berth/base/text.h"
#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/certify/reason.h"
#include "berth/formats/file.h"
#include "berth/live/shared_rows.h"
#include "berth/pipeline/beside.h"
#include "berth/pipeline/certified_launches.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/plan/reason.h"
#include "berth/plan/rewrite.h"
#include "berth/render/capacity_report.h"

namespace berth {
namespace {

// As many as take well under a second.
constexpr std::uint64_t kCasesOfOurOwn = 100'000;

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

struct Overflow {
  std::size_t arena = 0;
  bool proved = false;
  bool over_reserved = false;
};

// The first device whose arena is past what it has; those proved impossible come first.
std::optional<Overflow> find_overflow(const Plan& plan) {
  std::optional<Overflow> overflow;
  for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
    const PlannedArena& arena = plan.arenas[i];
    const Device memory = arena.memory();
    const auto usable = memory.usable();
    // Where nothing is placed, what stands beside can still be too much.
    if (!usable || (arena.figures.peak <= *usable && !memory.is_overfull())) continue;
    const bool over = arena.reserve > *arena.capacity;
    const bool proved = memory.is_overfull() || arena.figures.lower_bound > *usable;
    if (overflow && (overflow->proved || !proved)) continue;
    overflow = {i, proved, over};
  }
  return overflow;
}

// Of an input without buffers no device is known, but what every device has is.
std::optional<DoesNotFit> find_reserve_of_nothing(const Plan& plan, const PlanOptions& options) {
  if (!plan.arenas.empty()) return std::nullopt;
  for (const auto& [name, bytes] : options.capacity) {
    if (!name.empty() || options.reserve <= bytes) continue;
    return DoesNotFit{
        true,
        fmt::format("does not fit: {} bytes are reserved, {} more than the capacity of {}\n"
                    "reserve less, or give more\n",
                    options.reserve.count(), (options.reserve - bytes).count(), bytes.count()),
        {},
        true};
  }
  return std::nullopt;
}

// Which buffers it takes, where that is not all that are live at a step.
std::string set_text(const Reason& reason) {
  constexpr std::size_t kListed = 8;
  const auto buffers = reason.part.buffers();
  std::string text;
  for (std::size_t i = 0; i < buffers.size() && i < kListed; ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", printable(buffers[i].name),
                        buffers[i].size.count());
  }
  if (buffers.size() > kListed) text += fmt::format(" and {} more", buffers.size() - kListed);
  return fmt::format("  by themselves {} already do not fit{}: {}\n", buffers.size(),
                     reason.minimal ? ", and without any one of them the others do" : "", text);
}

// The answer no, with a reason that has passed the check that anybody can run.
PlanAnswer refusal(DoesNotFit no, std::optional<Reason> reason, const Plan* plan,
                   const PlanSource& source) {
  if (!reason) return no;
  if (const auto verdict = check_reason(*reason, kCasesOfOurOwn);
      verdict.answer == ReasonVerdict::Answer::Refuted) {
    return BrokenPromise{verdict.why};
  }
  reason->source = source;
  if (plan && !reason->step) no.report += set_text(*reason);
  no.reason = *std::move(reason);
  return no;
}

// Who sees the whole schedule, or its addresses, knows nothing of the file.
Error of_file(Error error, const std::string& file) {
  if (error.kind != Error::Kind::Usage) error.where = fmt::format("{}: {}", file, error.where);
  return error;
}

void say(const PlanOptions& options, const std::string& stage) {
  if (options.on_stage) options.on_stage(stage);
}

// What keeps a plan whose arenas fit from being known to fit; empty where nothing does.
std::string unsized_report(const Plan& plan) {
  constexpr std::size_t kListed = 8;
  for (const PlannedArena& arena : plan.arenas) {
    const auto names = unsized_on(plan.kept, arena.device);
    if (!arena.capacity || names.empty()) continue;
    std::string text = fmt::format(
        "arena {} is not known to fit: {} of {} bytes are counted, and only the run knows the size "
        "of ",
        printable(arena.device),
        checked_add(arena.figures.peak, arena.beside).value_or(arena.beside).count(),
        arena.capacity->count());
    for (std::size_t i = 0; i < names.size() && i < kListed; ++i) {
      text += (i == 0 ? "" : ", ") + printable(names[i]);
    }
    if (names.size() > kListed) text += fmt::format(" and {} more", names.size() - kListed);
    return text + "\n  --shape gives a value its size, where the input takes it\n";
  }
  return "";
}

Result<PlanAnswer> answer_of(Question question, Packing packing, Plan plan,
                             const PlanOptions& options) {
  say(options, "checking the plan");
  // What fits must pass the check as it stands; what does not is judged without its limits.
  Plan unlimited = plan;
  for (PlannedArena& arena : unlimited.arenas) arena.capacity.reset();
  const PlacementVerdict verdict = check_placement(unlimited);
  if (!verdict.sound()) return BrokenPromise{explain(verdict, unlimited)};
  if (auto no = find_reserve_of_nothing(plan, options)) return *std::move(no);
  if (const auto overflow = find_overflow(plan)) {
    DoesNotFit no{
        overflow->proved, capacity_report(plan, overflow->arena), {}, overflow->over_reserved};
    if (!no.proved || no.over_reserved) return no;
    // A reason is buffers; where what stands beside is too much by itself there are none to name.
    if (*plan.arenas[overflow->arena].capacity <= plan.arenas[overflow->arena].beside) return no;
    say(options, "looking for the buffers that are the reason");
    return refusal(std::move(no),
                   find_reason(question.instance, DeviceId(overflow->arena), options.pack.effort),
                   &plan, plan.source);
  }

  if (auto report = unsized_report(plan); !report.empty()) {
    return DoesNotFit{false, std::move(report)};
  }

  PlannedFile planned{std::move(question), std::move(packing), std::move(plan), {}, {}, {}};
  if (const auto* form = std::get_if<ScheduleForm>(&planned.question.form)) {
    const Instance& instance = planned.question.instance;
    say(options, "rewriting the schedule, and certifying its launches");
    auto rewritten = rewrite(form->schedule, form->ops, instance, planned.packing);
    if (!rewritten) return tl::unexpected(of_file(rewritten.error(), planned.plan.source.file));
    planned.rewritten = *std::move(rewritten);
    planned.memory_saved = memory_saved(form->ops, instance, planned.packing);
    auto launches = certified_launches(*form, instance, planned.packing, planned.plan);
    if (launches.broken) return BrokenPromise{*std::move(launches.broken)};
    planned.launches = std::move(launches.lowered).map_error([&](Error error) {
      return of_file(std::move(error), planned.plan.source.file);
    });
    if (!options.extents && *planned.launches) {
      LoweredSchedule& lowered = **planned.launches;
      lowered.launches = without_extents(lowered.launches);
    }
    auto& notes = planned.question.notes;
    notes.insert(notes.end(), launches.notes.begin(), launches.notes.end());
  }
  return planned;
}

Result<PlanAnswer> answer_question(const InputFile& file, Question question,
                                   const PlanOptions& options) {
  if (auto report = find_full_device(question.kept, question.instance, options)) {
    return DoesNotFit{true, *std::move(report)};
  }
  say(options, fmt::format("placing {} buffers", question.instance.size()));
  auto answer = pack(question.instance, options.pack);
  if (!answer) return tl::unexpected(answer.error());
  if (const auto* infeasible = std::get_if<Infeasible>(&*answer)) {
    DoesNotFit no{true, std::visit(ExplainInfeasible{question.instance}, infeasible->reason)};
    return refusal(std::move(no), reason_of(question.instance, *infeasible), nullptr,
                   {base_name(file.path), sha256(file.content)});
  }
  auto& packing = std::get<Packing>(*answer);
  auto plan = compose_plan(file, question, packing, options);
  if (!plan) return tl::unexpected(plan.error());
  return answer_of(std::move(question), std::move(packing), *std::move(plan), options);
}

// Whether no placement fits, whichever of its permissions to share bytes an input uses. Asked of
// the question in which it uses none.
Result<bool> is_refused_however_shared(const Question& apart, const PlanOptions& options) {
  const auto least = least_shared(apart.instance, apart.permissions);
  if (!least) return tl::unexpected(least.error());
  const auto answer = pack(*least, options.pack);
  if (!answer) return tl::unexpected(answer.error());
  const auto* packing = std::get_if<Packing>(&*answer);
  if (packing == nullptr) return true;
  for (std::size_t i = 0; i < packing->arenas.size(); ++i) {
    const auto usable = least->devices()[i].usable();
    if (usable && packing->arenas[i].lower_bound > *usable) return true;
  }
  return false;
}

// What shares bytes keeps to one place, which can be in the way; and a proof that it does not fit
// is one of what was shared.
Result<PlanAnswer> answer_apart(const InputFile& file, const PlanOptions& options, DoesNotFit no) {
  PlanOptions apart = options;
  apart.share = false;
  auto question = read_question(file, apart);
  if (!question) return tl::unexpected(question.error());
  if (no.proved) {
    const auto refused = is_refused_however_shared(*question, options);
    if (!refused) return tl::unexpected(refused.error());
    if (*refused) return no;
  }
  auto answer = answer_question(file, *std::move(question), options);
  if (!answer || std::holds_alternative<PlannedFile>(*answer)) return answer;
  no.proved = false;
  no.reason.reset();
  return no;
}

}  // namespace

Result<PlanAnswer> plan_file(const InputFile& file, const PlanOptions& options) {
  say(options, "reading " + printable(file.path));
  auto question = read_question(file, options);
  if (!question) return tl::unexpected(question.error());
  const bool may_stand_apart = options.share && !question->permissions.empty();
  auto answer = answer_question(file, *std::move(question), options);
  auto* no = answer ? std::get_if<DoesNotFit>(&*answer) : nullptr;
  if (!may_stand_apart || no == nullptr || no->over_reserved) return answer;
  return answer_apart(file, options, std::move(*no));
}

}  // namespace berth
