#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/reason.h"

namespace berth {

// berth.reason/1 (docs/formats/reason.md), a line a buffer.
std::string write_reason(const Reason& reason);

// Refuses, with file, line, column and the path of the field, what the format does not allow:
// missing and unknown fields, and buffers that no instance can have. It does not judge the reason.
Result<Reason> read_reason(const JsonDocument& document);

}  // namespace berth
