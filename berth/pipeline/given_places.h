#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/ir/plan.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth {

// A row of an answer that is no plan: a table with offsets, a model's offline plan. It says where,
// and of what the input says itself no more than can be compared.
struct GivenRow {
  std::string name;
  std::optional<Offset> offset;  // of its first byte
  Bytes bytes;
  std::optional<LiveRange> life{};  // nothing where it does not say
  std::vector<Gap> gaps{};          // likewise
  std::string device{};             // likewise
};

// The input with its buffers at the places of an answer, and why they are not all there.
struct InputAtPlaces {
  Plan plan;
  std::optional<std::string> mismatch;  // then the plan is empty
};

// All that the plan says but its places is the input's own. Values that the input lets share bytes
// are told once, as `berth plan` writes a model's, or each by itself. Refuses what read_question
// refuses, and places that 64 bits do not hold.
Result<InputAtPlaces> input_at(const std::vector<GivenRow>& rows, const InputFile& input,
                               const PlanOptions& options);

}  // namespace berth
