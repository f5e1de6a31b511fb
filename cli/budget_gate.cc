#include "cli/budget_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "berth/pipeline/asked_options.h"
#include "berth/pipeline/beside.h"
#include "berth/pipeline/open_plan.h"

namespace berth::cli {

void BudgetGate::add_to(CLI::App& command) {
  command
      .add_option(
          "--budget", budgets_,
          "Exit 1 where the arena of this device or tier is larger; without a name, any arena")
      ->type_name("[NAME=]BYTES");
  command
      .add_option("--baseline", baseline_,
                  "A plan of before (.json): say what grew, and exit 1 where an arena without a "
                  "budget did")
      ->type_name("FILE");
  command.add_flag("--markdown", markdown_, "Print budgets and what grew as tables of Markdown");
}

bool BudgetGate::Findings::kept() const {
  return std::ranges::none_of(lines, &BudgetLine::fails);
}

bool BudgetGate::Findings::open() const {
  return kept() && std::ranges::any_of(lines, &BudgetLine::is_open);
}

Result<PlanOptions> BudgetGate::with_baseline(PlanOptions options) const {
  if (baseline_.empty()) return options;
  const auto before = open_plan(baseline_);
  if (!before) return tl::unexpected(before.error());
  return with_asked_sizes(std::move(options), before->asked);
}

Result<BudgetGate::Findings> BudgetGate::judge(const Plan& plan) const {
  Findings findings;
  for (const PlannedArena& arena : plan.arenas) {
    findings.lines.push_back({.arena = name_of(arena),
                              .now = arena.figures.peak,
                              .beside = arena.beside,
                              .unsized = unsized_on(plan.kept, arena.device),
                              .not_counted = plan.not_counted});
  }
  std::set<std::string> names_given;
  for (const std::string& text : budgets_) {
    const auto equals = text.rfind('=');
    const bool is_for_all = equals == std::string::npos;
    const auto size = parse_size(is_for_all ? text : text.substr(equals + 1));
    if (!size || equals == 0) {
      return usage_error("--budget", fmt::format("found '{}', expected BYTES or NAME=BYTES", text),
                         "a size is such as 4096, 0x1000, 64KiB or 2MB");
    }
    const std::string name = is_for_all ? "" : text.substr(0, equals);
    if (!names_given.insert(name).second) {
      return usage_error(
          "--budget",
          is_for_all ? "is given twice for every arena" : fmt::format("'{}' is given twice", name),
          "give each name once");
    }
    bool is_met = false;
    for (std::size_t i = 0; i < plan.arenas.size(); ++i) {
      const PlannedArena& arena = plan.arenas[i];
      const bool is_named = name == arena.device || name == arena.tier || name == name_of(arena);
      if (!is_for_all && !is_named) continue;
      findings.lines[i].budget = Bytes(*size);
      is_met = true;
    }
    if (!is_met && !is_for_all) {
      std::vector<std::string> names;
      for (const BudgetLine& line : findings.lines) names.push_back(line.arena);
      return usage_error("--budget", fmt::format("the plan has no arena '{}'", name),
                         fmt::format("it has {}", fmt::join(names, ", ")));
    }
  }
  if (baseline_.empty()) return findings;
  const auto before = open_plan(baseline_);
  if (!before) return tl::unexpected(before.error());
  findings.diff = diff_plans(*before, plan);
  findings.asked_otherwise = asked_otherwise(before->asked, plan.asked);
  for (std::size_t i = 0; i < findings.lines.size(); ++i) {
    findings.lines[i].before = findings.diff->arenas[i].before;
  }
  return findings;
}

}  // namespace berth::cli
