#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/asked.h"

namespace berth {

// `asked` of a berth.plan/1 (docs/formats/plan.md): the fields that something was asked of.
std::string asked_json(const Asked& asked);

// Refuses what is not of its form; fields that it does not know are not read.
Result<Asked> read_asked(const JsonValue& value, const std::string& path);

}  // namespace berth
