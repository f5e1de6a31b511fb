#include "berth/pipeline/reside_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "berth/certify/prices.h"
#include "berth/formats/deployment_json.h"
#include "berth/formats/file.h"
#include "berth/formats/program_json.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/lay_out.h"
#include "berth/reside/best.h"
#include "berth/reside/deployment.h"
#include "berth/reside/reasons.h"
#include "berth/reside/tiers.h"

namespace berth {
namespace {

// Addresses of what a feasible plan keeps; what has none stands in its way.
Result<std::optional<BrokenPromise>> put_layouts(ResidencyAnswer& answer,
                                                 const Deployment& deployment, const Target& target,
                                                 const DeploymentDemand& demand) {
  if (!answer.plan.feasible()) return std::nullopt;
  auto layouts = lay_out(deployment, target, demand, answer.plan);
  if (!layouts) return tl::unexpected(layouts.error());
  if (auto* broken = std::get_if<BrokenPromise>(&*layouts)) return std::move(*broken);
  answer.layouts = std::get<Layouts>(*std::move(layouts));
  for (std::size_t i = 0; i < answer.layouts.size(); ++i) {
    for (const Layout& layout : answer.layouts[i]) {
      if (layout.fits) continue;
      answer.plan.obstacles.push_back({.kind = Obstacle::Kind::NoLayout,
                                       .program = deployment.programs[i].name,
                                       .chip = layout.chip,
                                       .needed = layout.arena,
                                       .available = layout.room});
    }
  }
  return std::nullopt;
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

Result<Deployment> read_deployment_file(const InputFile& input) {
  const auto document = JsonDocument::parse(input.content, input.path);
  if (!document) return tl::unexpected(document.error());
  const JsonValue root = document->root();
  const bool is_object = root.kind() == JsonValue::Kind::Object;
  const auto format = is_object ? root.field("format") : std::nullopt;
  const bool is_program = format && format->kind() == JsonValue::Kind::String &&
                          format->string().starts_with("berth.program/");
  if (is_program) {
    auto program = read_program(root);
    if (!program) return tl::unexpected(program.error());
    Deployment deployment{.name = program->name};
    deployment.programs.push_back({.name = program->name, .program = *std::move(program)});
    return deployment;
  }
  return read_deployment(*document, read_file);
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
  const auto savings = savings_of(best.certificates);
  if (const auto* broken = std::get_if<BrokenPromise>(&savings)) return Answer(*broken);
  const auto& [saved, most] = std::get<Savings>(savings);

  ResidencyAnswer answer;
  const Residency rule =
      options.concurrent ? plan_deployment(deployment, target, *demand, Running::Together) : alone;
  answer.concurrent = options.concurrent;
  answer.rule = rule.off_chip().total();
  answer.best = options.concurrent ? answer.rule : best.plan.off_chip().total();
  answer.nothing_kept = best.plan.off_chip().total() + saved;
  answer.bound = answer.nothing_kept - most;
  answer.plan = options.policy == Policy::Rule ? rule : std::move(best.plan);
  answer.certificates = std::move(best.certificates);
  answer.traffic = traffic_by_tier(deployment, target, answer.plan);
  answer.reasons = spill_reasons(deployment, target, *demand, answer.plan);
  auto broken = put_layouts(answer, deployment, target, *demand);
  if (!broken) return tl::unexpected(broken.error());
  if (*broken) return Answer(**std::move(broken));
  return Answer(std::move(answer));
}

Result<ResideAnswer> reside_file(const InputFile& input, const InputFile& target_file,
                                 const ResideOptions& options) {
  auto target = read_target(target_file.content, target_file.path);
  if (!target) return tl::unexpected(target.error());
  auto deployment = read_deployment_file(input);
  if (!deployment) return tl::unexpected(deployment.error());
  if (const auto demand = placed_demand(*deployment, *target, input); !demand) {
    return tl::unexpected(demand.error());
  }
  auto answer = reside_deployment(*deployment, *target, options);
  if (!answer) return tl::unexpected(answer.error());
  if (auto* broken = std::get_if<BrokenPromise>(&*answer)) return ResideAnswer(std::move(*broken));
  return ResidedFile{*std::move(deployment), *std::move(target),
                     std::get<ResidencyAnswer>(*std::move(answer))};
}

}  // namespace berth
