#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/pipeline/options.h"
#include "berth/render/plan_diff.h"

namespace berth::cli {

// What a build may ask of a plan: no arena past its budget, none larger than in a baseline.
class BudgetGate {
 public:
  void add_to(CLI::App& command);
  bool asked() const { return !budgets_.empty() || !baseline_.empty(); }
  bool markdown() const { return markdown_; }

  struct Findings {
    std::vector<BudgetLine> lines;
    std::optional<PlanDiff> diff;                // from the baseline
    std::vector<std::string> asked_otherwise{};  // in what the baseline was another question

    bool kept() const;
    // None is broken, but of one not all is counted.
    bool open() const;
  };
  // The options with what the baseline tells of sizes that a model leaves open, so that it need not
  // be asked again. Refuses a baseline that cannot be read.
  Result<PlanOptions> with_baseline(PlanOptions options) const;
  // Refuses a budget that is no size, or names an arena that the plan does not have; and a baseline
  // that cannot be read.
  Result<Findings> judge(const Plan& plan) const;

 private:
  std::vector<std::string> budgets_;
  std::string baseline_;
  bool markdown_ = false;
};

}  // namespace berth::cli
