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
  Bytes beside{};  // what is not planned takes of its memory too, and of a budget
  std::vector<std::string> unsized{};      // that live there, with a size only the run knows
  std::vector<std::string> not_counted{};  // what the plan's source does not tell

  Bytes counted() const { return checked_add(now, beside).value_or(Bytes(UINT64_MAX)); }
  // Past its budget; or, where it has none, larger than it was.
  bool fails() const { return budget ? counted() > *budget : before && now > *before; }
  // Kept by what is counted, though not all is.
  bool is_open() const { return budget && !fails() && !unsized.empty(); }
};

// Which arenas keep their budgets, and which buffers of a baseline grew: plain, or as Markdown.
// `diff`: nothing without a baseline.
std::string budget_text(const std::vector<BudgetLine>& lines, const std::optional<PlanDiff>& diff);
std::string budget_markdown(const std::vector<BudgetLine>& lines,
                            const std::optional<PlanDiff>& diff);

}  // namespace berth
