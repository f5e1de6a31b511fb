#include "berth/pipeline/reside_file.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/certify/prices.h"
#include "berth/formats/deployment_json.h"
#include "berth/formats/file.h"
#include "berth/formats/program_json.h"
#include "berth/formats/target_toml.h"
#include "berth/live/program_lives.h"
#include "berth/pipeline/model_input.h"
#include "berth/pipeline/put_layouts.h"
#include "berth/pipeline/residency_notes.h"
#include "berth/pipeline/whole_units.h"
#include "berth/reside/best.h"
#include "berth/reside/deployment.h"
#include "berth/reside/reasons.h"
#include "berth/reside/stored.h"
#include "berth/reside/tiers.h"

namespace berth {
namespace {

// One layer, every state of it carried.
Deployment alone(Program program) {
  Deployment deployment{.name = program.name};
  deployment.programs.push_back({.name = program.name, .program = std::move(program)});
  return deployment;
}

Result<DeployedInput> read_deployed_model(const InputFile& file, const Target& target,
                                          const PlanOptions& options) {
  auto model = read_model_input(file, options);
  if (!model) return tl::unexpected(model.error());
  auto stored = stored_program(model->program, target);
  if (!stored) return tl::unexpected(stored.error());
  const auto lives = program_instance(model->program, Alignment());
  if (!lives) return tl::unexpected(lives.error());
  // A model's own name is often empty, or what every exporter says.
  stored->name = base_name(file.path);
  DeployedInput input{alone(*std::move(stored)), options.alignment.value_or(model->unit)};
  for (const KeptTensor& kept : lives->kept) {
    if (kept.why != KeptWhy::Constant && kept.why != KeptWhy::Variable) input.kept.push_back(kept);
  }
  input.notes = std::move(model->notes);
  return input;
}

// Bytes of an instance before they were rounded up.
void put_declared(std::vector<ClassResidency>& classes, const Deployment& deployment) {
  std::map<std::tuple<std::string, std::string, ChipId>, Bytes> declared;
  const auto add = [&](const std::string& program, const std::string& tensor, ChipId chip,
                       Bytes bytes) { declared.emplace(std::tuple(program, tensor, chip), bytes); };
  if (deployment.given) {
    for (const StateClass& it : deployment.given->classes) {
      add(it.program, it.tensor, it.chip, it.bytes);
    }
  }
  for (const DeployedProgram& it : deployment.programs) {
    for (const Tensor& tensor : it.program.tensors) {
      if (tensor.kind == TensorKind::State) add(it.name, tensor.name, tensor.chip, tensor.bytes);
    }
  }
  for (ClassResidency& it : classes) {
    const Bytes bytes = declared.at({it.state.program, it.state.tensor, it.state.chip});
    if (bytes != it.state.bytes) it.declared = bytes;
  }
}

}  // namespace

std::variant<Savings, BrokenPromise> savings_of(const std::vector<ChipCertificate>& certificates) {
  Savings sum;
  for (const ChipCertificate& it : certificates) {
    const auto saved = saved_by(it.choice, it.kept);
    const auto verdict = check_prices(it.choice, it.prices);
    if (const auto* fault = std::get_if<PriceFault>(&verdict)) {
      return BrokenPromise{
          fmt::format("chip {}: {}: {}", it.chip.index(), fault->where, fault->message)};
    }
    const Bytes bound = std::get<ProvedBound>(verdict).saved;
    if (!saved || *saved > bound) {
      return BrokenPromise{
          fmt::format("chip {}: what stays does not fit, or is more than can be", it.chip.index())};
    }
    sum.saved += *saved;
    sum.most += bound;
  }
  return sum;
}

Result<DeploymentDemand> placed_demand(const Deployment& deployment, const Target& target,
                                       const InputFile& input) {
  auto demand = deployment_demand(deployment, target);
  if (demand) return demand;
  Error placed = demand.error();
  placed.where = fmt::format("{}: {}", input.path, placed.where);
  return tl::unexpected(std::move(placed));
}

Result<DeployedInput> read_deployed(const InputFile& input, const Target& target,
                                    const PlanOptions& options) {
  const InputKind kind = kind_of(input.content);
  if (kind == InputKind::Tflite || kind == InputKind::Onnx) {
    return read_deployed_model(input, target, options);
  }
  const auto document = JsonDocument::parse(input.content, input.path);
  if (!document) return tl::unexpected(document.error());
  if (kind == InputKind::ProgramJson) {
    auto program = read_program(document->root());
    if (!program) return tl::unexpected(program.error());
    return DeployedInput{alone(*std::move(program)), Alignment()};
  }
  auto deployment = read_deployment(*document, read_file);
  if (!deployment) return tl::unexpected(deployment.error());
  return DeployedInput{*std::move(deployment), Alignment()};
}

Result<std::variant<ResidencyAnswer, BrokenPromise>> reside_deployment(
    const Deployment& deployment, const Target& target, const ResideOptions& options) {
  using Answer = std::variant<ResidencyAnswer, BrokenPromise>;
  if (options.concurrent && options.policy == Policy::Best) {
    return usage_error("--concurrent", "the best plan is of programs that run one at a time",
                       "leave out --concurrent, or ask for --policy rule");
  }
  const auto demand = deployment_demand(deployment, target);
  if (!demand) return tl::unexpected(demand.error());
  // What programs keep that run at once, they could keep one at a time: the bound holds for both.
  const Residency alone = plan_deployment(deployment, target, *demand, Running::OneAtATime);
  BestPlan best = plan_best(deployment, target, *demand, alone,
                            {options.split ? Split::Apart : Split::Whole, {options.effort}});
  std::optional<Bytes> best_of_whole;
  if (options.intervals) {
    best_of_whole = best.plan.off_chip().total();
    best = plan_best(deployment, target, *demand, best.plan,
                     {options.split ? Split::Apart : Split::Whole, {options.effort}, Lives::Cut});
  }
  const auto savings = savings_of(best.certificates);
  if (const auto* broken = std::get_if<BrokenPromise>(&savings)) return Answer(*broken);
  const auto& [saved, most] = std::get<Savings>(savings);

  ResidencyAnswer answer;
  const Residency rule =
      options.concurrent ? plan_deployment(deployment, target, *demand, Running::Together) : alone;
  answer.concurrent = options.concurrent;
  answer.best_of_whole = best_of_whole;
  answer.rule = rule.off_chip().total();
  answer.best = options.concurrent ? answer.rule : best.plan.off_chip().total();
  answer.nothing_kept = best.plan.off_chip().total() + saved;
  answer.bound = answer.nothing_kept - most;
  answer.plan = options.policy == Policy::Rule ? rule : std::move(best.plan);
  answer.certificates = std::move(best.certificates);
  answer.traffic = traffic_by_tier(deployment, target, answer.plan);
  answer.reasons = spill_reasons(deployment, target, *demand, answer.plan);
  answer.away = away_reasons(deployment, target, *demand, answer.plan);
  auto broken = put_layouts(answer, deployment, target, *demand);
  if (!broken) return tl::unexpected(broken.error());
  if (*broken) return Answer(**std::move(broken));
  return Answer(std::move(answer));
}

Result<ResideAnswer> reside_file(const InputFile& input, const InputFile& target_file,
                                 const ResideOptions& options) {
  auto target = read_target(target_file.content, target_file.path);
  if (!target) return tl::unexpected(target.error());
  auto deployed = read_deployed(input, *target, options.model);
  if (!deployed) return tl::unexpected(deployed.error());
  const WholeUnits whole = in_whole_units(deployed->deployment, *target,
                                          options.model.alignment.value_or(deployed->unit));
  if (const auto demand = placed_demand(whole.deployment, whole.target, input); !demand) {
    return tl::unexpected(demand.error());
  }
  auto answer = reside_deployment(whole.deployment, whole.target, options);
  if (!answer) return tl::unexpected(answer.error());
  if (auto* broken = std::get_if<BrokenPromise>(&*answer)) return ResideAnswer(std::move(*broken));
  auto& found = std::get<ResidencyAnswer>(*answer);
  put_declared(found.plan.classes, deployed->deployment);
  auto notes = std::move(deployed->notes);
  for (std::string& note : residency_notes(deployed->deployment, found.plan)) {
    notes.push_back(std::move(note));
  }
  return ResidedFile{std::move(deployed->deployment), *std::move(target), std::move(found),
                     std::move(notes)};
}

}  // namespace berth
