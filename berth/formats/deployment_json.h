#pragma once

#include <functional>
#include <string>

#include "berth/base/result.h"
#include "berth/formats/json.h"
#include "berth/ir/deployment.h"

namespace berth {

// The content of a file that a deployment names.
using LoadFile = std::function<Result<std::string>(const std::string& path)>;

// berth.deployment/1 (docs/formats/deployment.md). A program that is not written in place is a path
// beside the deployment's own file, which `load` reads. Refuses, with file, line, column and the
// path of the field, what the format does not allow.
Result<Deployment> read_deployment(const JsonDocument& document, const LoadFile& load);

}  // namespace berth
