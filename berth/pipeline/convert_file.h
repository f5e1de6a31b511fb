#pragma once

#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/formats/write_files.h"

namespace berth {

// The file at `path` in the form that the ending of `to` names, or `form` where it has none (on a
// stream that nobody says a form of: the first of what the file holds): launches as .launches.json
// or .launches.bin, planes as .planes.json, a schedule as .schedule.json (in its normal form), a
// plan as .json. Nothing is lost: reading either gives the same value. A plan is also drawn (.svg,
// .html), or written as a C header (.h), which hold less.
//
// Refuses what the reader refuses, an ending that it does not know, and forms that do not hold what
// the file does.
Result<FileContent> convert_file(const std::string& path, const std::string& to,
                                 const std::string& form = {}, const std::string& prefix = {});

}  // namespace berth
