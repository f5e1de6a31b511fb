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

  bool sound() const { return verdict.sound() && !order_fault && !mismatch; }
};

// `file`: a plan (berth.plan/1), an instance whose rows all have an offset, or a .tflite model that
// carries an offline plan. With `input`, the file that a plan was made from: the plan must place,
// or name as kept, each of its buffers, with their bytes and over their lives. The options read the
// input as they did when it was planned; a capacity among them limits the plan.
// With `target`, the chips that a plan was made for: no arena may have more than its memory.
// Refuses what the readers refuse, and files that hold no plan.
Result<CheckedFile> check_file(const InputFile& file, const std::optional<InputFile>& input,
                               const PlanOptions& options,
                               const std::optional<InputFile>& target = {});

}  // namespace berth
