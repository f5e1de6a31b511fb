#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/ir/plan_diff.h"

namespace berth {

// What changed from one plan to another, a line a change, for people. Ends in a newline.
std::string plan_diff_text(const PlanDiff& diff);

// The same as one JSON object.
std::string plan_diff_json(const PlanDiff& diff);

// An arena and what it may be.
struct BudgetLine {
  std::string arena;
  Bytes now;
  std::optional<Bytes> before;  // in the baseline
  std::optional<Bytes> budget;

  // Past its budget; or, where it has none, larger than it was.
  bool fails() const { return budget ? now > *budget : before && now > *before; }
};

// Which arenas keep their budgets, and which buffers of a baseline grew: plain, or as Markdown.
// `diff`: nothing without a baseline.
std::string budget_text(const std::vector<BudgetLine>& lines, const std::optional<PlanDiff>& diff);
std::string budget_markdown(const std::vector<BudgetLine>& lines,
                            const std::optional<PlanDiff>& diff);

}  // namespace berth
