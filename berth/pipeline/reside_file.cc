#include "berth/pipeline/reside_file.h"

#include <fmt/format.h>

#include <utility>

#include "berth/certify/prices.h"
#include "berth/formats/deployment_json.h"
#include "berth/formats/file.h"
#include "berth/formats/program_json.h"
#include "berth/formats/target_toml.h"
#include "berth/reside/best.h"
#include "berth/reside/deployment.h"

namespace berth {
namespace {

// What is proved to be possible to save beyond what the best plan saves, or what is wrong with it.
std::variant<Bytes, BrokenPromise> unproved(const std::vector<ChipCertificate>& certificates) {
  Bytes more;
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
    more += bound - *saved;
  }
  return more;
}

Error in_file(const Error& error, const InputFile& file) {
  Error placed = error;
  placed.where = fmt::format("{}: {}", file.path, error.where);
  return placed;
}

}  // namespace

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

Result<ResideAnswer> reside_file(const InputFile& input, const InputFile& target_file,
                                 const ResideOptions& options) {
  if (options.concurrent && options.policy == Policy::Best) {
    return usage_error("--concurrent", "the best plan is of programs that run one at a time",
                       "leave out --concurrent, or ask for --policy rule");
  }
  auto target = read_target(target_file.content, target_file.path);
  if (!target) return tl::unexpected(target.error());
  auto deployment = read_deployment_file(input);
  if (!deployment) return tl::unexpected(deployment.error());
  const auto demand = deployment_demand(*deployment, *target);
  if (!demand) return tl::unexpected(in_file(demand.error(), input));

  ResidencyAnswer answer;
  const Running running = options.concurrent ? Running::Together : Running::OneAtATime;
  const Residency rule = plan_deployment(*deployment, *target, *demand, running);
  // What programs keep that run at once, they could keep one at a time: the bound holds for both.
  const Residency alone = plan_deployment(*deployment, *target, *demand, Running::OneAtATime);
  BestPlan best = plan_best(*deployment, *target, *demand, alone,
                            {options.split ? Split::Apart : Split::Whole, {options.effort}});
  const auto more = unproved(best.certificates);
  if (const auto* broken = std::get_if<BrokenPromise>(&more)) return ResideAnswer(*broken);

  const Bytes best_total = best.plan.off_chip().total();
  answer.rule = rule.off_chip().total();
  answer.best = options.concurrent ? answer.rule : best_total;
  answer.bound = best_total - std::get<Bytes>(more);
  answer.plan = options.policy == Policy::Rule ? rule : std::move(best.plan);
  answer.certificates = std::move(best.certificates);
  return ResidedFile{*std::move(deployment), *std::move(target), std::move(answer)};
}

}  // namespace berth
