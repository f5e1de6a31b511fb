#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// Where one form of an answer goes.
struct OutputPlace {
  std::string path;
  std::string ending;  // that says the form: one of those that are known
};

// What a command can write. `endings`: longer ones first, since .schedule.json is no plain .json.
struct KnownForms {
  std::string what;  // "a plan"
  std::span<const std::string_view> endings;
  std::string_view of_streams;  // where neither a name nor anybody says one
};

// The form of each path: by its ending; else `asked` ("csv", as --form gives it), which a name
// without a known ending needs; else, for a pipe, a device or standard output, `of_streams`. Asked
// before any work is done: refuses other names, one file named twice, and an `asked` that is no
// form or that no path needs.
Result<std::vector<OutputPlace>> output_places(std::span<const std::string> paths,
                                               const std::string& asked, const KnownForms& forms);

}  // namespace berth
