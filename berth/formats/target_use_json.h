#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/target_use.h"

namespace berth {

// The object "on_target" of a plan (docs/formats/plan.md). Reading what was written gives the same.
std::string target_use_json(const TargetUse& use);
Result<TargetUse> read_target_use(const JsonValue& value, const std::string& path);

}  // namespace berth
