#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/certify/lower_bound.h"
#include "berth/ir/placement_fault.h"
#include "berth/ir/plan.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// A plan from any hand, judged.
struct CheckedFile {
  Plan plan;
  PlacementVerdict verdict;
  std::optional<std::string> order_fault;  // where the plan's order is none of its steps
  std::optional<std::string> mismatch;     // where the plan is not one for the input
  std::vector<BoundFinding> bounds;        // by arena, of a plan that is sound by itself
  std::vector<std::string> notes;          // what was not judged, and why
  // What the plan alone tells of the question, and nobody else: each as an option is typed.
  std::vector<std::string> by_plan_alone{};

  bool sound() const { return verdict.sound() && !order_fault && !mismatch; }
};

// `file`: a plan (berth.plan/1), an instance whose rows all have an offset, or a .tflite model that
// carries an offline plan. With `input`, the file that it was made from, nothing that it says of
// its question is believed: it must place, or name as kept, each of the input's buffers, with their
// bytes, lives, gaps and whatever else limits where they may be. The options read the input as they
// did when it was planned; what they leave open the plan's own record says, which is then told
// (`by_plan_alone`). A capacity among them limits the plan.
// With `target`, the chips that a plan was made for: no arena may have more than its memory.
// Refuses what the readers refuse, and files that hold no plan.
Result<CheckedFile> check_file(const InputFile& file, const std::optional<InputFile>& input,
                               const PlanOptions& options,
                               const std::optional<InputFile>& target = {});

}  // namespace berth
