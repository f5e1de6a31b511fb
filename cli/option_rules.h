#pragma once

#include <optional>

#include "berth/base/result.h"
#include "berth/pipeline/input.h"
#include "berth/pipeline/options.h"

namespace berth::cli {

// What a file is read for.
enum class Use {
  Plan,
  PlanOnTarget,
  Explain,
  Judge,  // check and show, which take plans as well
  Reside,
};

// Refuses an option that means nothing for this use of this kind of file, where it would be passed
// over in silence: names the option, what it is for, and what the file is. Files of a kind that the
// use does not take are left to their reader.
std::optional<Error> find_misplaced_option(const PlanOptions& options, const InputFile& file,
                                           Use use);

}  // namespace berth::cli
