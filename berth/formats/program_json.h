#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/program.h"

namespace berth {

// berth.program/1 (docs/formats/program.md). Refuses, with file, line, column and the path of the
// field, what the format does not allow and what ir/program_rules.h finds. `path` is where the
// program stands in its document: empty where it is the document. O(file).
Result<Program> read_program(const JsonValue& value, const std::string& path = {});

// A line a tensor and a phase. Reading it gives the program again, but for its inputs and outputs,
// which are those that their kinds say, and for what the format does not hold (Tensor::dynamic,
// Phase::stays, tiles beside bytes that they do not give).
std::string write_program(const Program& program);

}  // namespace berth
