#pragma once

#include <string>
#include <vector>

#include "berth/ir/plan.h"
#include "berth/pipeline/question.h"

namespace berth {

// By arena, what its max load is made of: "inputs 64, outputs 0, intermediates 320, persistent 0,
// scratch 0". Empty where the question does not say what its buffers are (a table, a schedule).
std::vector<std::string> peaks_by_kind(const Question& question, const Plan& plan);

}  // namespace berth
