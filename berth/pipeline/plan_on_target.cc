#include "berth/pipeline/plan_on_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "berth/base/sha256.h"
#include "berth/certify/arena_coverage.h"
#include "berth/certify/arena_judge.h"
#include "berth/certify/arena_report.h"
#include "berth/certify/explain_arena.h"
#include "berth/certify/explain_placement.h"
#include "berth/certify/placement.h"
#include "berth/formats/target_toml.h"
#include "berth/live/deployment_lives.h"
#include "berth/lower/deployed_schedule.h"
#include "berth/lower/lower.h"
#include "berth/pipeline/compose_plan.h"
#include "berth/pipeline/placed_deployment.h"
#include "berth/pipeline/put_layouts.h"
#include "berth/pipeline/reside_file.h"
#include "berth/pipeline/residency_notes.h"
#include "berth/pipeline/target_use.h"
#include "berth/pipeline/whole_units.h"
#include "berth/plan/rewrite.h"
#include "berth/render/target_report.h"
#include "berth/reside/homes.h"

namespace berth {
namespace {

std::optional<Error> find_option_fault(const PlanOptions& options) {
  const auto meaningless = [](const char* option, const char* why, const char* hint) {
    return Error{Error::Kind::Usage, option, why, hint};
  };
  if (!options.capacity.empty()) {
    return meaningless("--capacity", "a target says what its memories hold",
                       "leave it out, or change the target's file (bytes, hbm_bytes, dram_bytes)");
  }
  if (options.reserve > Bytes(0)) {
    return meaningless("--reserve", "a target says what of its memories nobody may use",
                       "leave it out, or change the target's file (reserved_bytes)");
  }
  if (!options.scratch.empty()) {
    return meaningless("--scratch", "a program for a target says the scratch of its phases",
                       "give it in the program (berth.program/1)");
  }
  if (!options.hold.empty()) {
    return meaningless("--hold", "what outlives the run has a place on a target",
                       "leave it out, or declare it a state");
  }
  if (options.in_place || options.offline_plan || options.reorder) {
    return meaningless("--target", "steps keep their order and results bytes of their own there",
                       "leave out --in-place, --offline-plan and --reorder");
  }
  if (options.pack.packer != "auto") {
    return meaningless("--packer", "what stays in an SRAM is laid out by 'auto'",
                       "leave out --packer");
  }
  return std::nullopt;
}

// What of a schedule stands outside the arenas, at its addresses.
std::vector<StandingStorage> standing_of(const DeploymentLives& lives, const DeployedSchedule& it,
                                         const PlacedDeployment& placed, const Plan& plan) {
  std::vector<StandingStorage> standing;
  for (std::size_t i = 0; i < lives.tensors.size(); ++i) {
    if (!outlives_step(lives.tensors[i].as)) continue;
    const std::size_t device = placed.instance[BufferId(i)].device.index();
    standing.push_back({it.ops[i], Address(plan.arenas[device].address.value() +
                                           placed.packing.placement.places[i].value())});
  }
  return standing;
}

// The launches at the plan's addresses, judged.
struct Judged {
  LoweredSchedule lowered;
  CertificateUse seen;
  std::optional<std::string> broken;
};

Result<Judged> judge(const DeploymentLives& lives, const DeployedSchedule& scheduled,
                     const PlacedDeployment& placed, const ScheduledArenas& arenas,
                     const Plan& plan) {
  std::vector<Address> bases;
  for (const DeviceId device : arenas.devices) {
    bases.emplace_back(plan.arenas[device.index()].address.value() +
                       placed.lasting[device.index()].count());
  }
  auto lowered = lower(scheduled.schedule, arenas.instance, arenas.ops, arenas.packing, bases,
                       standing_of(lives, scheduled, placed, plan));
  if (!lowered) return tl::unexpected(lowered.error());
  const Verdict verdict = judge_arena(lowered->planes, lowered->launches);
  const ArenaCoverage seen = arena_coverage(lowered->planes, lowered->launches);
  Judged judged{*std::move(lowered),
                {seen.launches, seen.executed, seen.instances, seen.words, seen.words_in_windows},
                {}};
  if (!verdict.certified()) {
    const auto report = arena_report(judged.lowered.planes, judged.lowered.launches, verdict);
    const auto text = explain(report, judged.lowered.planes, judged.lowered.launches);
    // No placement can help a launch to what nobody has written.
    if (std::holds_alternative<UnwrittenRead>(verdict.finding)) {
      judged.lowered.warnings.push_back(text.substr(0, text.find('\n')));
    } else {
      judged.broken = text;
    }
  }
  return judged;
}

std::vector<std::string> notes_of(const DeployedInput& deployed, const Judged& judged) {
  std::vector<std::string> notes = deployed.notes;
  std::size_t declared = 0;
  for (const DeployedProgram& it : deployed.deployment.programs) {
    for (const Tensor& tensor : it.program.tensors) {
      const bool may_stay =
          tensor.kind == TensorKind::Intermediate || tensor.kind == TensorKind::State;
      declared += !may_stay && tensor.tier == Tier::Sram ? 1 : 0;
    }
  }
  if (declared > 0) {
    notes.push_back(fmt::format(
        "{} inputs, outputs and weights are declared in SRAM, where only intermediates and states "
        "are placed: they live off chip",
        declared));
  }
  constexpr std::size_t kMostWarnings = 8;
  const auto& warnings = judged.lowered.warnings;
  const std::size_t told = std::min(warnings.size(), kMostWarnings);
  notes.insert(notes.end(), warnings.begin(), warnings.begin() + static_cast<std::ptrdiff_t>(told));
  if (told < warnings.size()) {
    notes.push_back(fmt::format("and {} more such reads", warnings.size() - told));
  }
  if (judged.seen.vacuous()) {
    notes.push_back("no launch holds an address of the plan, so the certificate proves nothing");
  }
  return notes;
}

void mark_rows(Plan& plan, const DeploymentLives& lives) {
  for (std::size_t i = 0; i < lives.tensors.size(); ++i) {
    plan.buffers[i].held = outlives_step(lives.tensors[i].as);
  }
}

std::vector<KeptTensor> kept_of(const DeployedInput& deployed, const DeploymentLives& lives) {
  std::vector<KeptTensor> kept = deployed.kept;
  std::set<std::string> told;
  for (const KeptTensor& it : kept) told.insert(it.name);
  for (const KeptTensor& it : lives.kept) {
    if (told.insert(it.name).second) kept.push_back(it);
  }
  return kept;
}

// A deployment of which it is known what stays where.
struct Resided {
  DeployedInput deployed;
  WholeUnits whole;
  DeploymentDemand demand;
  ResidencyAnswer answer;
  std::string target_sha256;
};

class Planner {
 public:
  Planner(const InputFile& input, const PlanOptions& options, Resided resided)
      : input_(input), options_(options), it_(std::move(resided)) {}

  Result<PlanAnswer> plan() {
    const Deployment& deployment = it_.deployed.deployment;
    auto lives = deployment_lives(deployment);
    if (!lives) return tl::unexpected(lives.error());
    const auto tiers = homes_of(deployment, it_.whole.target, *lives, it_.demand, it_.answer);
    auto placed = place_deployment(deployment, it_.whole.target, *lives, it_.demand, it_.answer,
                                   tiers, it_.whole.unit, options_.pack);
    if (!placed) return tl::unexpected(placed.error());
    auto scheduled = deployed_schedule(deployment, *lives, tiers);
    if (!scheduled) return tl::unexpected(scheduled.error());
    return certified(*std::move(lives), tiers, *std::move(placed), *std::move(scheduled));
  }

 private:
  Result<PlanAnswer> certified(DeploymentLives lives, const std::vector<Tier>& tiers,
                               PlacedDeployment placed, DeployedSchedule scheduled) {
    auto arenas = scheduled_arenas(lives, scheduled, placed);
    if (!arenas) return tl::unexpected(arenas.error());
    Question question{placed.instance,
                      kept_of(it_.deployed, lives),
                      ScheduleForm{scheduled.schedule, arenas->ops},
                      {}};
    auto plan = compose_plan(input_, question, placed.packing, options_);
    if (!plan) return tl::unexpected(plan.error());
    // Each memory is a device of its own, and those that are used are the plan's arenas.
    const bool on_several = plan->arenas.size() > 1 && !plan->buffers.empty();
    plan->ordering = on_several ? kByAllocation : kInOrderPerDevice;
    mark_rows(*plan, lives);
    plan->target = target_use(it_.deployed.deployment, it_.whole.target, it_.demand, it_.answer,
                              lives, tiers, placed);
    plan->target->sha256 = it_.target_sha256;
    for (PlannedArena& arena : plan->arenas) {
      arena.tier = arena.device.substr(arena.device.rfind('.') + 1);
    }
    if (auto no = find_overflow(*plan, lives, placed)) return PlanAnswer(*std::move(no));

    if (auto error = find_bases_that_meet(*plan)) return tl::unexpected(std::move(*error));
    const PlacementVerdict verdict = check_placement(*plan);
    if (!verdict.sound()) return PlanAnswer(BrokenPromise{explain(verdict, *plan)});
    auto judged = judge(lives, scheduled, placed, *arenas, *plan);
    if (!judged) return tl::unexpected(judged.error());
    if (judged->broken) return PlanAnswer(BrokenPromise{*std::move(judged->broken)});
    plan->target->certificate = judged->seen;
    question.notes = notes_of(it_.deployed, *judged);
    const auto of_residency = residency_notes(it_.deployed.deployment, it_.answer.plan);
    question.notes.insert(question.notes.end(), of_residency.begin(), of_residency.end());

    if (!options_.extents) {
      judged->lowered.launches = without_extents(judged->lowered.launches);
    }
    auto rewritten = rewrite(scheduled.schedule, arenas->ops, arenas->instance, arenas->packing);
    if (!rewritten) return tl::unexpected(rewritten.error());
    return PlanAnswer(PlannedFile{std::move(question),
                                  std::move(placed.packing),
                                  *std::move(plan),
                                  *std::move(rewritten),
                                  {},
                                  std::move(judged->lowered)});
  }

  // What an off-chip memory must hold, past what it has: an SRAM's layout is known to fit.
  std::optional<DoesNotFit> find_overflow(const Plan& plan, const DeploymentLives& lives,
                                          const PlacedDeployment& placed) const {
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
      const PlannedArena& arena = plan.arenas[i];
      const bool is_past = arena.capacity && arena.figures.peak > *arena.capacity;
      if (!is_past || arena.tier == "sram") continue;
      std::map<StoredAs, Bytes> parts;
      for (std::size_t row = 0; row < lives.tensors.size(); ++row) {
        const bool is_here = placed.instance[BufferId(row)].device == DeviceId(i);
        const bool lasts = outlives_step(lives.tensors[row].as);
        if (is_here && lasts) parts[lives.tensors[row].as] += placed.instance.extent(BufferId(row));
      }
      return DoesNotFit{true,
                        overflow_report({.device = arena.device,
                                         .capacity = *arena.capacity,
                                         .needed = arena.figures.peak,
                                         .states = parts[StoredAs::State],
                                         .weights = parts[StoredAs::Weight],
                                         .ends = parts[StoredAs::Input] + parts[StoredAs::Output],
                                         .turns = arena.figures.peak - placed.lasting[i]})};
    }
    return std::nullopt;
  }

  const InputFile& input_;
  const PlanOptions& options_;
  Resided it_;
};

using Answer = std::variant<ResidencyAnswer, BrokenPromise>;

// The rule needs no search for the best, which may take longer than all the rest.
Result<Answer> answer_of(const Deployment& deployment, const Target& target,
                         const DeploymentDemand& demand, Policy policy) {
  if (policy == Policy::Best) return reside_deployment(deployment, target, {.policy = policy});
  ResidencyAnswer answer;
  answer.plan = plan_deployment(deployment, target, demand, Running::OneAtATime);
  auto broken = put_layouts(answer, deployment, target, demand);
  if (!broken) return tl::unexpected(broken.error());
  if (*broken) return Answer(**std::move(broken));
  return Answer(std::move(answer));
}

}  // namespace

Result<PlanAnswer> plan_on_target(const InputFile& input, const InputFile& target_file,
                                  Policy policy, const PlanOptions& options) {
  if (auto fault = find_option_fault(options)) return tl::unexpected(*std::move(fault));
  const auto target = read_target(target_file.content, target_file.path);
  if (!target) return tl::unexpected(target.error());
  auto deployed = read_deployed(input, *target, options);
  if (!deployed) return tl::unexpected(deployed.error());
  if (deployed->deployment.given) {
    return input_error(input.path, "gives classes of states without the programs that touch them",
                       "'berth reside' finds their tiers");
  }
  WholeUnits whole =
      in_whole_units(deployed->deployment, *target, options.alignment.value_or(deployed->unit));
  auto demand = placed_demand(whole.deployment, whole.target, input);
  if (!demand) return tl::unexpected(demand.error());
  auto answer = answer_of(whole.deployment, whole.target, *demand, policy);
  if (!answer) return tl::unexpected(answer.error());
  if (auto* broken = std::get_if<BrokenPromise>(&*answer)) return PlanAnswer(std::move(*broken));
  auto& found = std::get<ResidencyAnswer>(*answer);
  if (!found.plan.feasible()) {
    return PlanAnswer(DoesNotFit{true, obstacle_report(found.plan.obstacles)});
  }
  return Planner(input, options,
                 {*std::move(deployed), std::move(whole), *std::move(demand), std::move(found),
                  sha256(target_file.content)})
      .plan();
}

namespace {

// What stands in SRAM: intermediates and states of which the host reads nothing.
SramRule sram_rule(StoredAs as, const Tensor& tensor) {
  const bool may_stay = as == StoredAs::Arena || as == StoredAs::Table || as == StoredAs::State;
  return may_stay && !tensor.host ? SramRule::Either : SramRule::Never;
}

}  // namespace

Result<RowsOnTarget> rows_on_target(const InputFile& input, const Target& target,
                                    const PlanOptions& options) {
  const auto deployed = read_deployed(input, target, options);
  if (!deployed) return tl::unexpected(deployed.error());
  const auto lives = deployment_lives(deployed->deployment);
  if (!lives) return tl::unexpected(lives.error());
  const Alignment unit =
      in_whole_units(deployed->deployment, target, options.alignment.value_or(deployed->unit)).unit;
  RowsOnTarget asked;
  asked.rows = {.source = {"", sha256(input.content)},
                .ordering = kInOrderPerDevice,
                .kept = kept_of(*deployed, *lives)};
  std::map<ChipId, std::size_t> arenas;
  const auto arena_of = [&](ChipId chip) {
    const auto [found, is_new] = arenas.emplace(chip, asked.rows.arenas.size());
    if (is_new) {
      asked.rows.arenas.push_back({.device = fmt::format("chip{}", chip.index()), .unit = unit});
    }
    return found->second;
  };
  const auto add = [&](PlannedBuffer row, ChipId chip, SramRule rule) {
    row.arena = arena_of(chip);
    row.alignment = unit;
    asked.rows.buffers.push_back(std::move(row));
    asked.sram.push_back(rule);
  };
  for (const StoredTensor& row : lives->tensors) {
    const auto& program = deployed->deployment.programs[row.program].program;
    const Tensor& tensor = program.tensors[row.tensor.index()];
    add({.name = row.name, .bytes = tensor.bytes, .life = row.life, .held = outlives_step(row.as)},
        tensor.chip, sram_rule(row.as, tensor));
  }
  for (const StoredScratch& row : lives->scratch) {
    add({.name = row.name, .bytes = row.bytes, .life = {row.step, row.step + 1}}, row.chip,
        SramRule::Always);
  }
  for (const StoredSites& row : lives->sites) {
    add({.name = row.name, .bytes = row.bytes, .life = row.life}, row.chip, SramRule::Always);
  }
  return asked;
}

}  // namespace berth
