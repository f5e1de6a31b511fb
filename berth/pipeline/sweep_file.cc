#include "berth/pipeline/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/certify/prices.h"
#include "berth/formats/target_toml.h"
#include "berth/pipeline/whole_units.h"
#include "berth/reside/best.h"

namespace berth {
namespace {

constexpr std::size_t kMostSteps = 5'000;
constexpr std::uint64_t kSolves = 50;  // searches at full effort; those after them look no further

// What is proved of a best plan, or what is wrong with it.
std::variant<Bytes, BrokenPromise> proved_bound(const BestPlan& best) {
  const auto savings = savings_of(best.certificates);
  if (const auto* broken = std::get_if<BrokenPromise>(&savings)) return *broken;
  const auto& [saved, most] = std::get<Savings>(savings);
  return best.plan.off_chip().total() + saved - most;
}

class Sweeper {
 public:
  Sweeper(const Deployment& deployment, const Target& target, const DeploymentDemand& demand,
          const BestOptions& options)
      : deployment_(deployment), target_(target), demand_(demand), options_(options) {}

  const std::optional<BrokenPromise>& broken() const { return broken_; }

  Result<Sweep> sweep(const SweepRange& range) {
    Sweep result{.deployment = deployment_.name, .target = target_.name, .to = range.from};
    std::vector<SweepStep> rule;
    const auto note = [&](Bytes sram, const Residency& plan) {
      rule.push_back({.sram = sram, .rule = plan.off_chip().total(), .feasible = plan.feasible()});
      result.to = sram;
      result.obstacles = plan.obstacles;
    };
    const auto done = each_rule_change(deployment_, target_, demand_, range, kMostSteps, note);
    if (!done) return tl::unexpected(done.error());
    if (range.to) result.to = *range.to;
    const auto best = best_from_top({range.from, result.to});
    if (!best) return tl::unexpected(best.error());
    result.steps = merged(rule, *best);
    return result;
  }

 private:
  // Each from its `sram` up to the one before.
  Result<std::vector<SweepStep>> best_from_top(const SweepRange& range) {
    std::vector<SweepStep> steps;
    std::uint64_t effort = kSolves * options_.choose.effort;
    for (Bytes sram = *range.to;; sram = steps.back().sram - Bytes(1)) {
      if (steps.size() == kMostSteps) {
        return tl::unexpected(
            Error{Error::Kind::Limit, "--sweep",
                  fmt::format("the best changes more than {} times above an SRAM of {} bytes",
                              kMostSteps, sram.count()),
                  "give a narrower range: --sweep sram=FROM:TO"});
      }
      const Target chips = with_sram(target_, sram);
      const Residency rule = plan_deployment(deployment_, chips, demand_, Running::OneAtATime);
      BestOptions options = options_;
      options.choose.effort = std::clamp<std::uint64_t>(effort, 1, options_.choose.effort);
      const BestPlan best = plan_best(deployment_, chips, demand_, rule, options);
      effort -= std::min(effort, best.nodes);
      auto bound = proved_bound(best);
      if (auto* broken = std::get_if<BrokenPromise>(&bound)) {
        broken_ = std::move(*broken);
        return steps;
      }
      const auto less = slack(best.certificates);
      const Bytes from = less && *less < sram - range.from ? sram - *less : range.from;
      steps.push_back(
          {.sram = from, .best = best.plan.off_chip().total(), .bound = std::get<Bytes>(bound)});
      if (from == range.from) return steps;
    }
  }

  // A step wherever a figure changes.
  static std::vector<SweepStep> merged(const std::vector<SweepStep>& rule,
                                       const std::vector<SweepStep>& best_from_top) {
    std::vector<SweepStep> steps;
    auto next_rule = rule.begin();
    auto next_best = best_from_top.rbegin();
    SweepStep now;
    while (next_rule != rule.end() || next_best != best_from_top.rend()) {
      const bool is_rule = next_rule != rule.end() && (next_best == best_from_top.rend() ||
                                                       next_rule->sram <= next_best->sram);
      now.sram = is_rule ? next_rule->sram : next_best->sram;
      if (is_rule) {
        now.rule = next_rule->rule;
        now.feasible = next_rule->feasible;
        ++next_rule;
      } else {
        now.best = next_best->best;
        now.bound = next_best->bound;
        ++next_best;
      }
      if (!steps.empty() && steps.back().sram == now.sram) steps.pop_back();
      const bool is_change =
          steps.empty() || std::tie(now.rule, now.best, now.bound, now.feasible) !=
                               std::tie(steps.back().rule, steps.back().best, steps.back().bound,
                                        steps.back().feasible);
      if (is_change) steps.push_back(now);
    }
    return steps;
  }

  const Deployment& deployment_;
  const Target& target_;
  const DeploymentDemand& demand_;
  BestOptions options_;
  std::optional<BrokenPromise> broken_;
};

}  // namespace

Result<SweepAnswer> sweep_deployment(const Deployment& deployment, const Target& target,
                                     const SweepRange& range, const BestOptions& options) {
  const auto demand = deployment_demand(deployment, target);
  if (!demand) return tl::unexpected(demand.error());
  Sweeper sweeper(deployment, target, *demand, options);
  auto sweep = sweeper.sweep(range);
  if (sweeper.broken()) return SweepAnswer(*sweeper.broken());
  if (!sweep) return tl::unexpected(sweep.error());
  return SweepAnswer(*std::move(sweep));
}

Result<SweepAnswer> sweep_file(const InputFile& input, const InputFile& target_file,
                               const SweepRange& range, const ResideOptions& options) {
  const auto target = read_target(target_file.content, target_file.path);
  if (!target) return tl::unexpected(target.error());
  const auto deployed = read_deployed(input, *target, options.model);
  if (!deployed) return tl::unexpected(deployed.error());
  const WholeUnits whole = in_whole_units(deployed->deployment, *target,
                                          options.model.alignment.value_or(deployed->unit));
  if (const auto demand = placed_demand(whole.deployment, whole.target, input); !demand) {
    return tl::unexpected(demand.error());
  }
  return sweep_deployment(whole.deployment, whole.target, range,
                          {options.split ? Split::Apart : Split::Whole,
                           {options.effort},
                           options.intervals ? Lives::Cut : Lives::Whole});
}

}  // namespace berth
