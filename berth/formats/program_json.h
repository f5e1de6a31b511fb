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

}  // namespace berth
