#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/infer.h"

namespace berth {

// What to say of results whose size is not known. Where their operator has no rule although all of
// its operands are known, a person can settle it: refused, with the flags to add. Where only the
// run decides, a note names them. What follows from an open size is not named again.
Result<std::vector<std::string>> settle_open_results(const ModelGraph& graph,
                                                     const ModelFacts& facts);

}  // namespace berth
