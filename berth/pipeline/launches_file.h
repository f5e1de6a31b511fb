#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/formats/file.h"
#include "berth/ir/launches.h"

namespace berth {

// Launches in either form, by content: the binary one is used as it stands in the file.
Result<LaunchSchedule> open_launches(const std::string& path);
Result<LaunchSchedule> read_launches_bytes(const FileBytes& content, const std::string& path);

}  // namespace berth
